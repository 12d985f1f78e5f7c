import { timingSafeEqual } from 'node:crypto';
import { initTRPC, TRPCError } from '@trpc/server';
import { getHTTPStatusCodeFromError } from '@trpc/server/http';
import { DomainFailure, type Failure } from '@evaluation/rest-contract/errors';
import { continueTrace, describeSpan, inSpan, metrics, SpanKind } from '@evaluation/platform/telemetry';
import * as z from 'zod/v4';
import { refuseUnstorable } from '../command/accept.ts';
import { changeIn } from '../command/changes/changeIn.ts';
import { Replayed } from '../command/idempotency/once.ts';
import type { Outcome } from '../command/idempotency/records.ts';
import { mayCall } from '../people/roles.ts';
import { mayTeamCall } from '../people/teams.ts';
import { unreachable } from '../command/unreachable.ts';
import type { Services } from '../command/services.ts';

export interface CallHeaders {
  authorization: string | undefined;
  actor: string | undefined;
  requestId: string | undefined;
  /** Set for a request that must happen once. */
  idempotencyKey: string | undefined;
  fingerprint: string | undefined;
  /** Trace context of the caller (W3C). */
  traceparent: string | undefined;
}

export interface Context {
  services: Services;
  headers: CallHeaders;
}

const t = initTRPC.context<Context>().create({
  isDev: false,
  errorFormatter: ({ shape, error }) => {
    const failure: Failure | null = error.cause instanceof DomainFailure ? error.cause.failure : null;
    const replay: Outcome | null = error.cause instanceof Replayed ? error.cause.outcome : null;
    return {
      ...shape,
      // Errors that are not typed failures may quote rows or requests: their text is logged and never sent.
      message: failure?.message ?? error.code,
      data: { ...shape.data, failure, replay },
    };
  },
});

export const router = t.router;

const sameToken = (given: string | undefined, expected: string): boolean => {
  const a = Buffer.from(given ?? '');
  const b = Buffer.from(`Bearer ${expected}`);
  return a.length === b.length && timingSafeEqual(a, b);
};

/** Passes typed failures and unreachable dependencies to the client; logs other errors. */
const reportFailures = t.middleware(async ({ next, path, ctx }) => {
  const result = await next();
  if (result.ok) return result;
  const cause: unknown = result.error.cause ?? result.error;
  if (cause instanceof DomainFailure || cause instanceof Replayed) return result;
  const { actor: signed, requestId } = ctx.headers;
  const actor = signed === undefined ? null : ctx.services.verifyActor(signed);
  const log = ctx.services.log.child({
    request_id: requestId,
    institute_id: actor?.institute_id,
    team: actor?.team,
    procedure: path,
  });
  if (result.error.code === 'BAD_REQUEST' && cause instanceof z.core.$ZodError) {
    // Input of a caller of another release. The log has the paths and codes of the issues and no values.
    const issues = cause.issues.map(({ path: at, code }) => `${at.join('.')} ${code}`);
    log.warn({ issues }, 'procedure refused its input');
  }
  if (result.error.code !== 'INTERNAL_SERVER_ERROR') return result;
  const dependency = unreachable(cause);
  if (dependency !== null) {
    log.warn({ err: cause }, `${dependency} is not reachable`);
    throw new TRPCError({
      code: 'SERVICE_UNAVAILABLE',
      cause: new DomainFailure('service_unavailable'),
    });
  }
  log.error({ err: cause }, 'procedure failed');
  return result;
});

/**
 * Records metrics of each procedure, and a span in the caller's trace. Core starts no trace of its own, because claims
 * and heartbeats are called many times a second outside of any trace.
 */
const observeCalls = t.middleware(({ next, path, type, ctx }) => {
  const { traceparent, requestId } = ctx.headers;
  const observed = async () => {
    const labels = { service: 'core', route: path, method: type };
    const stop = metrics.httpDuration.startTimer(labels);
    metrics.httpInFlight.inc({ service: 'core' });
    try {
      const result = await next();
      const status = result.ok ? 200 : getHTTPStatusCodeFromError(result.error);
      describeSpan({ 'rpc.response.status_code': status }, { failed: status >= 500 });
      metrics.httpRequests.inc({ ...labels, status: String(status) });
      return result;
    } finally {
      stop();
      metrics.httpInFlight.dec({ service: 'core' });
    }
  };
  if (traceparent === undefined) return observed();
  return inSpan(
    `core ${path}`,
    { 'rpc.system': 'trpc', 'rpc.method': path, 'evaluation.request_id': requestId ?? '' },
    observed,
    { kind: SpanKind.SERVER, parent: continueTrace(traceparent) },
  );
});

/**
 * Refuses a call by its token, by the role of its actor and by the limits of the team that signed it. None of them
 * needs the input: the server asks before it reads the body, and each procedure asks again.
 * @throws TRPCError UNAUTHORIZED, FORBIDDEN
 */
export const admit = ({ services, headers }: Context, path: string): void => {
  const service = path.split('.')[0] ?? '';
  const { tokens } = services.settings;
  const accepted =
    service === 'public' || service === 'grading' || service === 'control' ? tokens[service] : [];
  if (!accepted.some((token) => sameToken(headers.authorization, token)))
    throw new TRPCError({ code: 'UNAUTHORIZED' });
  const caller = headers.actor === undefined ? null : services.verifyActor(headers.actor);
  if (service !== 'public' || caller === null) return;
  const isAllowed = caller.staff === undefined || mayCall(caller.staff.role, path);
  if (!isAllowed || !mayTeamCall(services.settings.teams, caller, path))
    throw new TRPCError({ code: 'FORBIDDEN' });
};

const admitted = t.procedure
  .use(observeCalls)
  .use(reportFailures)
  .use(({ ctx, path, next }) => {
    admit(ctx, path);
    return next();
  });

/** Refuses text that PostgreSQL cannot store, where the input's own schema does not look for it. */
const storable = t.middleware(async ({ getRawInput, next }) => {
  refuseUnstorable(await getRawInput());
  return next();
});

/**
 * For the facade and the desk, before the caller is authenticated. A call whose actor is a member of staff comes from
 * the desk: the table of roles decides on it, and closes these procedures to staff.
 */
export const serviceProcedure = admitted.use(({ ctx, next }) => {
  const sent = ctx.headers.actor;
  return next({ ctx: { ...ctx, caller: sent === undefined ? null : ctx.services.verifyActor(sent) } });
});

/** For the desk's server, which passes on what a browser sent before a person is known. */
export const visitorProcedure = serviceProcedure.use(storable);

/** Notes which exam or submission a successful command has changed; several calls are announced together. */
const noteChanges = t.middleware(async ({ ctx, type, path, getRawInput, next }) => {
  const result = await next();
  if (type !== 'mutation' || !result.ok || path === 'grading.heartbeat') return result;
  const sent = ctx.headers.actor;
  const actor = sent === undefined ? null : ctx.services.verifyActor(sent);
  const change = changeIn(await getRawInput(), actor?.institute_id);
  if (change !== null) ctx.services.changes.note(change);
  return result;
});

/** For the facade, the desk and internal teams: every call carries a signed actor. */
export const actorProcedure = serviceProcedure.use(noteChanges).use(({ ctx, next }) => {
  const { caller: actor } = ctx;
  if (actor === null) throw new TRPCError({ code: 'UNAUTHORIZED' });
  const { idempotencyKey: key, fingerprint } = ctx.headers;
  const idempotent = key === undefined || fingerprint === undefined ? null : { key, fingerprint };
  // Calls of clients use a separate connection pool, so that they cannot take the connections of workers and of core's
  // own rounds.
  const services = { ...ctx.services, database: ctx.services.database.forClients };
  return next({ ctx: { ...ctx, services, actor, idempotent } });
});

/**
 * The actor is a member of staff, whose role the table of roles has admitted. API keys never get here, because the
 * facade signs them without `staff`.
 */
export const staffProcedure = actorProcedure.use(storable).use(({ ctx, next }) => {
  const { actor } = ctx;
  if (actor.staff === undefined) throw new TRPCError({ code: 'FORBIDDEN' });
  return next({ ctx: { ...ctx, actor: { ...actor, staff: actor.staff } } });
});

/**
 * For acts by which an open session could become the account, or outlive it: the person has signed in or given the
 * password a short while ago. The page asks for it at PRECONDITION_FAILED.
 */
export const provenProcedure = staffProcedure.use(({ ctx, next }) => {
  const { proved_until: provedUntil } = ctx.actor.staff;
  if (provedUntil !== undefined && provedUntil < Date.now())
    throw new TRPCError({ code: 'PRECONDITION_FAILED' });
  return next();
});

/** For staff whose scopes contain `evaluation:review`. */
export const reviewerProcedure = staffProcedure.use(({ ctx, next }) => {
  if (!ctx.actor.scopes.includes('evaluation:review')) {
    throw new DomainFailure('insufficient_scope', { details: { required_scope: 'evaluation:review' } });
  }
  return next();
});

export const gradingProcedure = admitted.use(noteChanges);

export const controlProcedure = admitted.use(storable);
