import { setTimeout as wait } from 'node:timers/promises';
import {
  createTRPCClient,
  httpLink,
  isTRPCClientError,
  localLink,
  type TRPCClient,
  type TRPCLink,
} from '@trpc/client';
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import { Agent, request } from 'undici';
import type { Core, CoreRouter, coreRouter } from '@evaluation/core';
import type { Failure } from '@evaluation/rest-contract/errors';
import { signActor, type Actor } from '@evaluation/signed-actor';
import { traceparentNow } from '@evaluation/telemetry';

/**
 * The one typed client of core (docs/architecture.md#the-picture): over HTTP between processes and by function call inside one, with
 * the same types, the same checks of token and actor, and the same errors.
 */

export type CoreClient = TRPCClient<CoreRouter>;

/** For whom a call is made. The public router takes none without an actor, but for `authenticate`. */
export interface Caller {
  actor?: Actor;
  requestId?: string;
  /** Commands of this caller happen once for the key (docs/api/conventions.md#idempotency); a repetition is told by `replayOf`. */
  idempotent?: IdempotentRequest;
}

export interface IdempotentRequest {
  key: string;
  /** Hash of all that makes the request the same: method, path, body. */
  fingerprint: string;
}

export interface CoreAccess {
  as(caller: Caller): CoreClient;
  /** Resolves when core is there and can do its work. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface Credentials {
  /** The service token of the router that is called. */
  token: string;
  /** Only the facade and internal teams sign actors. */
  actorSigningKey?: string;
}

/** Longer than core's longest transaction and its wait for an inspection. */
const CALL_TIMEOUT_MS = 60_000;

/** Whether core is there is known sooner than that, or it is not. */
const PING_TIMEOUT_MS = 5000;

/** A busy connection stays with its replica: now and then a new one, so that replicas that were added get their share. */
const CONNECTION_MS = 60_000;

/** A replica that has just gone is refused for as long as whoever picks the replica has not heard of it. */
const ANOTHER_TRIES = 2;
const ANOTHER_TRY_MS = 50;

/** Tries once more where nobody listened: nothing was sent, so nothing can happen twice. */
const whereSomebodyListens = async <T>(call: () => Promise<T>, tries = ANOTHER_TRIES): Promise<T> => {
  try {
    return await call();
  } catch (error) {
    const isRefused = error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
    if (!isRefused || tries === 0) throw error;
    await wait(ANOTHER_TRY_MS);
    return whereSomebodyListens(call, tries - 1);
  }
};

const tracing = (): Record<string, string> => {
  const traceparent = traceparentNow();
  return traceparent === undefined ? {} : { traceparent };
};

const headersFor = (caller: Caller, credentials: Credentials): Record<string, string> => ({
  authorization: `Bearer ${credentials.token}`,
  ...(caller.actor === undefined || credentials.actorSigningKey === undefined
    ? {}
    : { 'x-actor': signActor(caller.actor, credentials.actorSigningKey) }),
  ...(caller.requestId === undefined ? {} : { 'x-request-id': caller.requestId }),
  ...tracing(),
  ...(caller.idempotent === undefined
    ? {}
    : {
        'x-idempotency-key': caller.idempotent.key,
        'x-idempotency-fingerprint': caller.idempotent.fingerprint,
      }),
});

/** Core in another process. One pool of connections, and never a batch: a batch has one set of headers for all. */
export const coreOverHttp = (options: Credentials & { url: string }): CoreAccess => {
  const agent = new Agent({
    connections: 128,
    headersTimeout: CALL_TIMEOUT_MS,
    bodyTimeout: CALL_TIMEOUT_MS,
    clientTtl: CONNECTION_MS,
  });
  const fetchFromPool: NonNullable<Parameters<typeof httpLink>[0]['fetch']> = async (input, init) => {
    const response = await whereSomebodyListens(() =>
      request(String(input), {
        method: init?.method === 'GET' ? 'GET' : 'POST',
        headers: Object.fromEntries(new Headers(init?.headers ?? {})),
        body: typeof init?.body === 'string' ? init.body : null,
        signal: init?.signal ?? null,
        dispatcher: agent,
      }),
    );
    const { statusCode } = response;
    return {
      ok: statusCode >= 200 && statusCode < 300,
      status: statusCode,
      statusText: '',
      url: String(input),
      json: () => response.body.json(),
    };
  };
  return {
    as: (caller) =>
      createTRPCClient<CoreRouter>({
        links: [
          httpLink({
            url: options.url,
            // For each call anew: it says where in a trace the call is made.
            headers: () => headersFor(caller, options),
            fetch: fetchFromPool,
            // Queries can be larger than an address may be.
            methodOverride: 'POST',
          }),
        ],
      }),
    ping: async () => {
      const { statusCode, body } = await request(`${options.url}/readyz`, {
        dispatcher: agent,
        signal: AbortSignal.timeout(PING_TIMEOUT_MS),
      });
      await body.dump();
      if (statusCode !== 200) throw new Error(`core answered ${statusCode}`);
    },
    close: () => agent.close(),
  };
};

/** Core in this process: what HTTP would carry in headers is handed over as it is. */
export const coreInProcess = (
  options: Credentials & { router: typeof coreRouter; createContext: Core['createContext'] },
): CoreAccess => ({
  as: (caller) => {
    const link: TRPCLink<CoreRouter> = localLink({
      router: options.router,
      createContext: async () => {
        const headers = headersFor(caller, options);
        return options.createContext({
          authorization: headers['authorization'],
          actor: headers['x-actor'],
          requestId: headers['x-request-id'],
          idempotencyKey: headers['x-idempotency-key'],
          fingerprint: headers['x-idempotency-fingerprint'],
          traceparent: headers['traceparent'],
        });
      },
    });
    return createTRPCClient<CoreRouter>({ links: [link] });
  },
  ping: async () => {},
  close: async () => {},
});

/** The typed failure that core answered with; null when it answered with none, or not at all. */
export const failureOf = (error: unknown): Failure | null =>
  isTRPCClientError<CoreRouter>(error) ? (error.data?.failure ?? null) : null;

/** The answer that an earlier request with the same Idempotency-Key was given; null when this is none. */
export const replayOf = (error: unknown): { body: unknown } | { failure: Failure } | null =>
  isTRPCClientError<CoreRouter>(error) ? (error.data?.replay ?? null) : null;

/** Whether core could not be reached: no answer came, so nothing is known of the effect. */
export const isUnreachable = (error: unknown): boolean =>
  isTRPCClientError<CoreRouter>(error) && error.data == null;

/**
 * Whether core has no such procedure: it is of the release before, as for minutes of every rolling deploy. Nothing has
 * happened, and asking it again helps only once another core answers.
 */
export const isUnknownProcedure = (error: unknown): boolean =>
  isTRPCClientError<CoreRouter>(error) && error.data?.code === 'NOT_FOUND' && error.data.failure == null;

export type { Actor, CoreRouter };

/** What core answers, by router and procedure. */
export type Outputs = inferRouterOutputs<CoreRouter>;
type Inputs = inferRouterInputs<CoreRouter>;
/** A run as it crosses the wire. */
export type RunMaterial = NonNullable<Outputs['grading']['claim']>;
/** A checked copy to draw anew, as it crosses the wire. */
export type DrawingMaterial = NonNullable<Outputs['grading']['claimDrawing']>;
export type RecordedQuestion = Inputs['grading']['recordQuestion']['result'];
