import type { IncomingMessage } from 'node:http';
import { retryWhile } from '@evaluation/platform/backoff';
import { openDatabase, type Database } from '@evaluation/database';
import { openLanes } from '@evaluation/lanes';
import { objectStore } from '@evaluation/object-store';
import type { CoreSettings } from '@evaluation/platform/settings';
import { actorVerifier } from '@evaluation/platform/signed-actor';
import {
  createLogger,
  drainable,
  listen,
  readinessOf,
  type Logger,
  type Observed,
} from '@evaluation/platform/telemetry';
import { announceChanges } from '../command/changes/announceChanges.ts';
import { startGuidePasses } from '../marking/guide/passes.ts';
import { startPeopleSweep } from '../people/sweep.ts';
import { startErasures } from '../personal-data/eraseCandidate.ts';
import { startReconciler } from '../credits/reconcile/reconciler.ts';
import { startEvidenceRemoval } from '../grading/evidence/removeEvidence.ts';
import { startDispatcher } from '../grading/dispatcher.ts';
import { startLanePace } from '../command/lanePace.ts';
import { largeCalls } from './largeCalls.ts';
import { prepareStores } from './prepareStores.ts';
import { startSweep } from '../command/idempotency/records.ts';
import { coreGauges } from './gauges.ts';
import { serveCalls } from './serveCalls.ts';
import { newServer } from './server.ts';
import type { Services } from '../command/services.ts';
import type { CallHeaders, Context } from './trpc.ts';
import { startReadingRemoval } from '../grading/runs/removeReadings.ts';
import { startFileRemoval } from '../files/removeFiles.ts';
import { unreachable } from '../command/unreachable.ts';
import { knownInspections } from '../command/workerCalls/knownInspections.ts';
import { knownClaims } from '../command/workerCalls/knownClaims.ts';

/** Time that the start waits for PostgreSQL, which may be restarting. Afterwards the process ends with 1. */
const DATABASE_START_MS = 20_000;
/** Largest body of a public call with its envelope. The facade has limits of its own. */
const MAX_BODY_BYTES = 128 * 1024 * 1024;
/** Bound for workers and operators. A worker's largest call has record, evidence and judgement of 8 MiB each. */
const MAX_WORKER_BODY_BYTES = 32 * 1024 * 1024;

export interface Core extends Observed {
  url: string;
  /** Makes a context for callers in the same process; `headers` replace the HTTP headers. */
  createContext: (headers: CallHeaders) => Context;
}

/** Starts core: database, lanes, object store, dispatcher, periodic rounds, and the three routers over HTTP. */
export const startCore = async (settings: CoreSettings): Promise<Core> => {
  const log = createLogger({ service: 'core', level: settings.logLevel });
  const database = await openWithinStart(settings, log);
  const lanes = openLanes({
    ...settings.lanes,
    name: 'core',
    onProgress: (event, details) => log.info(details, event),
  });
  const objects = objectStore(settings.objects);
  const preparation = await prepareStores({ lanes, objects, log });

  const lanePace = startLanePace({ database, log });
  const changes = announceChanges({ database, lanes, log });
  const services: Services = {
    database,
    lanes,
    objects,
    settings,
    log,
    wakeDispatcher: (cause) => dispatcher.wake(cause),
    afterCommit: (effect) => effect(),
    changes,
    lanePace,
    claims: knownClaims(),
    inspections: knownInspections(),
    verifyActor: actorVerifier(settings.actorSigningKeys, settings.teams),
  };
  const dispatcher = startDispatcher(services, settings.runs.tickMs);
  const rounds = [
    startFileRemoval(services),
    startEvidenceRemoval(services),
    startReadingRemoval(services),
    startErasures(services),
    startGuidePasses(services),
    startSweep(services),
    startPeopleSweep(services),
    startReconciler(services, settings.reconcileMinutes * 60_000),
  ];

  // Readiness depends on PostgreSQL only: core accepts and answers calls without lanes and object store.
  const dependencies = { database: () => database.ping() };
  const readiness = readinessOf(dependencies, 'core');
  const createContext = (headers: CallHeaders): Context => ({ services, headers });
  const contextOf = (request: IncomingMessage) => createContext(headersOf(request));
  const handlePublic = serveCalls(contextOf, MAX_BODY_BYTES);
  const handleOthers = serveCalls(contextOf, MAX_WORKER_BODY_BYTES);
  const calls = largeCalls();
  const { server, renewal } = await newServer(settings.tls, log, (request, response) => {
    if (request.url === '/healthz') {
      response.writeHead(200).end('ok');
    } else if (request.url === '/readyz') {
      void readiness().then(({ status, body }) => response.writeHead(status).end(body));
    } else {
      const isPublic = request.url?.startsWith('/public.') === true;
      const handle = isPublic ? handlePublic : handleOthers;
      calls.admit(request, response, () => handle(request, response));
    }
  });
  const { drain } = drainable(server);
  const closeParts = async (): Promise<void> => {
    preparation.stop();
    await dispatcher.close();
    await Promise.all([changes, lanePace, renewal, ...rounds].map((running) => running.close()));
    await lanes.close();
    await database.close();
    objects.close();
  };
  let port: number;
  try {
    port = await listen(server, settings.listen, { host: 'CORE_HOST', port: 'CORE_PORT' });
  } catch (error) {
    await closeParts();
    throw error;
  }

  return {
    url: `${settings.tls === null ? 'http' : 'https'}://${settings.listen.host}:${port}`,
    createContext,
    dependencies,
    refreshMetrics: coreGauges(services),
    close: async () => {
      await drain(settings.lingerSeconds * 1000);
      await closeParts();
    },
  };
};

/** @throws the last error, if PostgreSQL cannot be reached for DATABASE_START_MS or refuses the role */
const openWithinStart = (settings: CoreSettings, log: Logger): Promise<Database> =>
  retryWhile(
    (error) => unreachable(error) !== null,
    () => openDatabase({ ...settings.database, log }),
    {
      signal: new AbortController().signal,
      until: new Date(Date.now() + DATABASE_START_MS),
      onRetry: (error) => log.warn({ err: error }, 'PostgreSQL is not reachable; the start tries again'),
    },
  );

const headersOf = (request: IncomingMessage): CallHeaders => {
  const one = (name: string): string | undefined => {
    const value = request.headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  return {
    authorization: one('authorization'),
    actor: one('x-actor'),
    requestId: one('x-request-id'),
    idempotencyKey: one('x-idempotency-key'),
    fingerprint: one('x-idempotency-fingerprint'),
    traceparent: one('traceparent'),
  };
};
