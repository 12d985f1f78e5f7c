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

/**
 * The one typed client of core (design chapter 1): over HTTP between processes and by function call inside one, with
 * the same types, the same checks of token and actor, and the same errors.
 */

export type CoreClient = TRPCClient<CoreRouter>;

/** For whom a call is made. The public router takes none without an actor, but for `authenticate`. */
export interface Caller {
  actor?: Actor;
  requestId?: string;
  /** Commands of this caller happen once for the key (spec 8.5); a repetition is told by `replayOf`. */
  idempotent?: IdempotentRequest;
}

export interface IdempotentRequest {
  key: string;
  /** Hash of all that makes the request the same: method, path, body. */
  fingerprint: string;
}

export interface CoreAccess {
  as(caller: Caller): CoreClient;
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

const headersFor = (caller: Caller, credentials: Credentials): Record<string, string> => ({
  authorization: `Bearer ${credentials.token}`,
  ...(caller.actor === undefined || credentials.actorSigningKey === undefined
    ? {}
    : { 'x-actor': signActor(caller.actor, credentials.actorSigningKey) }),
  ...(caller.requestId === undefined ? {} : { 'x-request-id': caller.requestId }),
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
  });
  const fetchFromPool: NonNullable<Parameters<typeof httpLink>[0]['fetch']> = async (input, init) => {
    const response = await request(String(input), {
      method: init?.method === 'GET' ? 'GET' : 'POST',
      headers: Object.fromEntries(new Headers(init?.headers ?? {})),
      body: typeof init?.body === 'string' ? init.body : null,
      signal: init?.signal ?? null,
      dispatcher: agent,
    });
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
            headers: headersFor(caller, options),
            fetch: fetchFromPool,
            // Queries can be larger than an address may be.
            methodOverride: 'POST',
          }),
        ],
      }),
    close: () => agent.close(),
  };
};

/** Core in this process: what HTTP would carry in headers is handed over as it is. */
export const coreInProcess = (
  options: Credentials & { router: typeof coreRouter; createContext: Core['createContext'] },
): CoreAccess => ({
  as: (caller) => {
    const headers = headersFor(caller, options);
    const link: TRPCLink<CoreRouter> = localLink({
      router: options.router,
      createContext: async () =>
        options.createContext({
          authorization: headers['authorization'],
          actor: headers['x-actor'],
          requestId: headers['x-request-id'],
          idempotencyKey: headers['x-idempotency-key'],
          fingerprint: headers['x-idempotency-fingerprint'],
        }),
    });
    return createTRPCClient<CoreRouter>({ links: [link] });
  },
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

export type { Actor, CoreRouter };

type Outputs = inferRouterOutputs<CoreRouter>;
type Inputs = inferRouterInputs<CoreRouter>;
/** A run as it crosses the wire. */
export type RunMaterial = NonNullable<Outputs['grading']['claim']>;
/** A checked copy to draw anew, as it crosses the wire. */
export type DrawingMaterial = NonNullable<Outputs['grading']['claimDrawing']>;
export type PaperQuestion = RunMaterial['questions'][number];
export type RecordedQuestion = Inputs['grading']['recordQuestion']['result'];
