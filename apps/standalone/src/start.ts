import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { coreInProcess, coreOverHttp, failureOf, type CoreAccess } from '@evaluation/core-client';
import { coreRouter, startCore } from '@evaluation/core';
import { deploy } from '@evaluation/database';
import { startDesk } from '@evaluation/desk';
import { startFacade } from '@evaluation/facade';
import {
  findInstallation,
  openInstallation,
  writeInstallation,
  type Installation,
} from '@evaluation/platform/installation';
import {
  readCoreSettings,
  readDeskSettings,
  readFacadeSettings,
  readWorkerSettings,
  type StandaloneSettings,
} from '@evaluation/platform/settings';
import type { Observed } from '@evaluation/platform/telemetry';
import { startWorker } from '@evaluation/worker';
import { startBackingServices, type BackingServices } from './backingServices.ts';
import { holdPorts } from './ports.ts';
import { assertRoom } from './room.ts';

interface Standalone extends Observed {
  baseUrl: string;
  coreUrl: string;
  deskUrl: string;
  installation: Installation;
  close(): Promise<void>;
}

/** Longest time that a start waits for the preflights of the lanes; later results are only logged. */
const CHECK_PATIENCE_MS = 10_000;
const FIRST_INSTITUTE = { name: 'First Institute', credits: 10_000 };

/**
 * Composition root of `npm start` (docs/architecture.md#start): core, facade, desk and worker in one process, over real
 * backing services. All parts are stopped in reverse order, also when the start fails half-way.
 */
export const startStandalone = async (
  settings: StandaloneSettings,
  onProgress: (line: string) => void = () => {},
): Promise<Standalone> => {
  const started: { close(): Promise<void> }[] = [];
  const keep = <T extends { close(): Promise<void> }>(part: T): T => {
    started.push(part);
    return part;
  };
  const close = async () => {
    for (const part of started.toReversed()) await part.close();
  };
  try {
    // A folder that cannot be read is named below.
    const neighbour = await findInstallation(settings.dataDir).catch(() => null);
    keep(await holdPorts(settings, neighbour));
    await assertRoom(settings.dataDir);
    const backing = keep(await startBackingServices(settings, onProgress));
    const installation = await openInstallation(settings.dataDir);
    const environment = environmentFor(settings, installation, backing);

    onProgress('applying migrations');
    await deploy(backing.databaseUrl, {
      onProgress,
      ...(settings.databaseUrl === undefined ? { dataIn: `the data folder ${settings.dataDir}` } : {}),
    });

    onProgress('starting core, facade and workers');
    const core = keep(await startCore(readCoreSettings({ ...environment, NATS_URL: backing.natsUrls.core })));
    const access = (token: string): CoreAccess =>
      keep(
        coreInProcess({
          router: coreRouter,
          createContext: core.createContext,
          token,
          actorSigningKey: installation.actor_signing_key,
        }),
      );
    const worker = keep(
      await startWorker(
        readWorkerSettings({ ...environment, NATS_URL: backing.natsUrls.worker, CORE_URL: core.url }),
        access(installation.tokens.grading),
      ),
    );
    const facade = keep(
      await startFacade(
        readFacadeSettings({ ...environment, NATS_URL: backing.natsUrls.facade, CORE_URL: core.url }),
        access(installation.tokens.public),
      ),
    );

    const deskSettings = readDeskSettings({ ...environment, CORE_URL: core.url });
    const desk = keep(await startDesk(deskSettings, keep(coreOverHttp(deskSettings.core))));

    // After the last server listens, so that a start that fails on a port creates no institute.
    const firstKey =
      installation.first_key ?? (await provisionFirst(access(installation.tokens.control), onProgress));
    const withKey = { ...installation, first_key: firstKey };
    const admin = await provisionAdmin(access(installation.tokens.control), firstKey.institute_id, {
      known: installation.desk,
      // Written before the account is made, so that a crash in between does not lose the password of an account.
      write: (made) => writeInstallation(settings.dataDir, { ...withKey, desk: made }),
    });
    const current = {
      ...withKey,
      desk: { ...admin, url: desk.url },
      core_url: core.url,
      base_url: facade.baseUrl,
    };
    await writeInstallation(settings.dataDir, current);
    await Promise.race([worker.firstChecks, sleep(CHECK_PATIENCE_MS, undefined, { ref: false })]);
    for (const line of worker.describeGrader()) onProgress(line);
    return {
      baseUrl: facade.baseUrl,
      coreUrl: core.url,
      deskUrl: desk.url,
      installation: current,
      notes: worker.notes,
      dependencies: { ...core.dependencies, ...worker.dependencies },
      ...(core.refreshMetrics === undefined ? {} : { refreshMetrics: core.refreshMetrics }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};

const environmentFor = (
  settings: StandaloneSettings,
  installation: Installation,
  backing: {
    databaseUrl: string;
    natsUrls: BackingServices['natsUrls'];
    s3: { endpoint: string; accessKeyId: string; secretAccessKey: string };
  },
): Record<string, string | undefined> => ({
  // No other replica takes over the traffic, so a shutdown need not wait for it.
  LINGER_SECONDS: '0',
  ...settings.environment,
  LOG_LEVEL: settings.logLevel,
  PORT: String(settings.port),
  CORE_PORT: String(settings.corePort),
  DESK_HOST: settings.deskHost,
  DESK_PORT: String(settings.deskPort),
  // With port 0 the desk's port is not known yet, so links to the desk do not work.
  DASHBOARD_URL:
    settings.environment['DASHBOARD_URL'] ??
    settings.environment['DESK_URL'] ??
    `http://${settings.deskHost}:${settings.deskPort}`,
  NATS_URL: backing.natsUrls.facade,
  DESK_STORE_ORIGINS: settings.environment['S3_PUBLIC_ENDPOINT'] ?? backing.s3.endpoint,
  DATABASE_URL: backing.databaseUrl,
  S3_ENDPOINT: backing.s3.endpoint,
  S3_ACCESS_KEY_ID: backing.s3.accessKeyId,
  S3_SECRET_ACCESS_KEY: backing.s3.secretAccessKey,
  CORE_PUBLIC_TOKEN: installation.tokens.public,
  CORE_GRADING_TOKEN: installation.tokens.grading,
  CORE_CONTROL_TOKEN: installation.tokens.control,
  ACTOR_SIGNING_KEY: installation.actor_signing_key,
});

type FirstAdmin = NonNullable<Installation['desk']>;

/** Creates an admin of the first institute for the desk, once per data folder. */
const provisionAdmin = async (
  core: CoreAccess,
  instituteId: string,
  { known, write }: { known: FirstAdmin | null; write: (made: FirstAdmin) => Promise<void> },
): Promise<FirstAdmin> => {
  const desk = known ?? {
    url: null,
    // Data folders may share a database, which has one account for an address.
    email: `admin.${instituteId.slice(0, 8)}@example.org`,
    password: randomBytes(12).toString('base64url'),
  };
  if (known === null) await write(desk);
  try {
    await core.as({}).control.staff.invite.mutate({
      institute_id: instituteId,
      email: desk.email,
      name: 'First Admin',
      role: 'admin',
      password: desk.password,
    });
  } catch (error) {
    // Made by an earlier start, or the data folder is used with a database that does not have its institute.
    if (!['conflict', 'not_found'].includes(failureOf(error)?.code ?? '')) throw error;
  }
  return desk;
};

/** Creates an institute and a key with every scope, once per data folder, for the first calls of a new user. */
const provisionFirst = async (
  core: CoreAccess,
  onProgress: (line: string) => void,
): Promise<NonNullable<Installation['first_key']>> => {
  onProgress('provisioning a first institute and key');
  const { control } = core.as({});
  const { institute_id } = await control.createInstitute.mutate(FIRST_INSTITUTE);
  const { api_key } = await control.createKey.mutate({
    institute_id,
    scopes: ['evaluation:read', 'evaluation:write', 'evaluation:review', 'evaluation:finalize'],
  });
  return { institute_id, api_key };
};
