import { setTimeout as wait } from 'node:timers/promises';
import {
  createTRPCClient,
  TRPCClientError,
  isTRPCClientError,
  localLink,
  retryLink,
  type TRPCClient,
  type TRPCLink,
} from '@trpc/client';
import type { inferRouterInputs, inferRouterOutputs, TRPCErrorShape } from '@trpc/server';
import { observable } from '@trpc/server/observable';
import { Agent, request } from 'undici';
import type { Core, CoreRouter, coreRouter, PublicRouter } from '@evaluation/core';
import type { Failure } from '@evaluation/rest-contract/errors';
import { actorSigner, type Actor } from '@evaluation/platform/signed-actor';
import { traceparentNow } from '@evaluation/platform/telemetry';

/**
 * Typed client of core (docs/architecture.md#the-picture), over HTTP or by function call inside one process. Both
 * have the same types, the same checks of token and actor, and the same errors.
 */

export type CoreClient = TRPCClient<CoreRouter>;

/** The origin of a call. The public router requires an actor, except for `authenticate`. */
interface Caller {
  actor?: Actor;
  requestId?: string;
  /** Commands take effect once per key (docs/api/conventions.md#idempotency); `replayOf` recognises a repetition. */
  idempotent?: IdempotentRequest;
}

export interface IdempotentRequest {
  key: string;
  /** Hash of method, path and body. */
  fingerprint: string;
}

export interface CoreAccess {
  as(caller: Caller): CoreClient;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Core in another process, which also takes calls whose procedure is known only at run time. */
export interface CoreOverHttp extends CoreAccess {
  /**
   * Passes one call on and returns core's response as it is: the envelope of a result or of an error.
   *
   * @param path the procedure, e.g. `public.exams.list`
   * @param input JSON text; empty for none
   * @throws Error when core gave no response
   */
  forward(caller: Caller, path: string, input: string): Promise<{ status: number; body: Buffer }>;
}

interface Credentials {
  /** Service token of the called router. */
  token: string;
  /** Set for callers that sign actors: facade, desk and services of internal teams. */
  actorSigningKey?: string;
}

/** Longer than core's longest transaction and its wait for an inspection. */
const CALL_TIMEOUT_MS = 60_000;

const PING_TIMEOUT_MS = 5000;

/** Age at which a connection is replaced, so that added replicas of core get a share of the calls. */
const CONNECTION_MS = 60_000;

/** Connections to a stopped replica are refused until the load balancer knows that it has stopped. */
const ANOTHER_TRIES = 2;
const ANOTHER_TRY_MS = 50;

/** Retries a refused connection up to `tries` times. Nothing was sent, so no command can run twice. */
const retriedIfRefused = async <T>(call: () => Promise<T>, tries = ANOTHER_TRIES): Promise<T> => {
  try {
    return await call();
  } catch (error) {
    const isRefused = error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED';
    if (!isRefused || tries === 0) throw error;
    await wait(ANOTHER_TRY_MS);
    return retriedIfRefused(call, tries - 1);
  }
};

/**
 * A connection that ended before the answer, as when core is killed. A timeout is not counted, because core may be
 * overloaded and a repeated call would add load.
 */
const isCutOff = (error: unknown): boolean => {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ('code' in cause && (cause.code === 'UND_ERR_SOCKET' || cause.code === 'ECONNRESET')) return true;
  return false;
};

const tracing = (): Record<string, string> => {
  const traceparent = traceparentNow();
  return traceparent === undefined ? {} : { traceparent };
};

/** @returns a function that makes the headers of a call */
const headersWith = ({
  token,
  actorSigningKey,
}: Credentials): ((caller: Caller) => Record<string, string>) => {
  const sign = actorSigningKey === undefined ? null : actorSigner(actorSigningKey);
  return (caller) => ({
    authorization: `Bearer ${token}`,
    ...(caller.actor === undefined || sign === null ? {} : { 'x-actor': sign(caller.actor) }),
    ...(caller.requestId === undefined ? {} : { 'x-request-id': caller.requestId }),
    ...tracing(),
    ...(caller.idempotent === undefined
      ? {}
      : {
          'x-idempotency-key': caller.idempotent.key,
          'x-idempotency-fingerprint': caller.idempotent.fingerprint,
        }),
  });
};

/**
 * Sends each call as one POST. tRPC's own link does the same with the requests, headers and abort signals of `fetch`,
 * which cost more than the call.
 */
const linkTo =
  (
    send: (path: string, input: unknown, signal: AbortSignal | null) => Promise<unknown>,
  ): TRPCLink<CoreRouter> =>
  () =>
  ({ op }) =>
    observable((observer) => {
      send(op.path, op.input, op.signal ?? null).then(
        (answer) => {
          // The client takes the first value. `complete` would abort a signal of the client, which records a stack
          // trace.
          if (isResult(answer)) observer.next({ result: { type: 'data', data: answer.result.data } });
          else
            observer.error(
              TRPCClientError.from(isError(answer) ? answer : new Error('core answered no envelope')),
            );
        },
        (cause: unknown) =>
          observer.error(TRPCClientError.from(cause instanceof Error ? cause : new Error('no answer'))),
      );
    });

const isResult = (answer: unknown): answer is { result: { data?: unknown } } =>
  typeof answer === 'object' && answer !== null && 'result' in answer && typeof answer.result === 'object';

const isError = (answer: unknown): answer is { error: TRPCErrorShape } =>
  typeof answer === 'object' && answer !== null && 'error' in answer && typeof answer.error === 'object';

/** Core in another process. Calls are not batched, because a batch has the same headers for all of its calls. */
export const coreOverHttp = (options: Credentials & { url: string }): CoreOverHttp => {
  const agent = new Agent({
    connections: 128,
    headersTimeout: CALL_TIMEOUT_MS,
    bodyTimeout: CALL_TIMEOUT_MS,
    clientTtl: CONNECTION_MS,
  });
  const headersFor = headersWith(options);
  const post = (caller: Caller, path: string, input: string | null, signal: AbortSignal | null) =>
    retriedIfRefused(() =>
      request(`${options.url}/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headersFor(caller) },
        body: input,
        signal,
        dispatcher: agent,
      }),
    );
  /** @returns the body of core's answer; its envelope shows whether it is a result or an error */
  const send = async (
    caller: Caller,
    path: string,
    input: unknown,
    signal: AbortSignal | null,
  ): Promise<unknown> => {
    const { body } = await post(caller, path, input === undefined ? null : JSON.stringify(input), signal);
    return body.json();
  };
  return {
    as: (caller) =>
      createTRPCClient<CoreRouter>({
        links: [
          // A read whose connection ended is repeated once. A command may have taken effect, so it is not.
          retryLink({
            retry: ({ op, error, attempts }) => op.type === 'query' && attempts === 1 && isCutOff(error),
          }),
          linkTo((...call) => send(caller, ...call)),
        ],
      }),
    forward: async (caller, path, input) => {
      const { statusCode, body } = await post(caller, path, input === '' ? null : input, null);
      return { status: statusCode, body: Buffer.from(await body.arrayBuffer()) };
    },
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

/** Core in this process. The values of the headers are passed directly. */
export const coreInProcess = (
  options: Credentials & { router: typeof coreRouter; createContext: Core['createContext'] },
): CoreAccess => {
  const headersFor = headersWith(options);
  return {
    as: (caller) => {
      const link: TRPCLink<CoreRouter> = localLink({
        router: options.router,
        createContext: async () => {
          const headers = headersFor(caller);
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
  };
};

/** The typed failure in core's response; null without one. */
export const failureOf = (error: unknown): Failure | null =>
  isTRPCClientError<CoreRouter>(error) ? (error.data?.failure ?? null) : null;

/** The stored response of the first request with the same Idempotency-Key; null for other errors. */
export const replayOf = (error: unknown): { body: unknown } | { failure: Failure } | null =>
  isTRPCClientError<CoreRouter>(error) ? (error.data?.replay ?? null) : null;

/** True when core gave no response. Whether the call took effect is unknown. */
export const isUnreachable = (error: unknown): boolean =>
  isTRPCClientError<CoreRouter>(error) && error.data == null;

/** True when core refused the form of a call's input: sent again, it is refused again. */
export const isInputRefused = (error: unknown): boolean =>
  isTRPCClientError<CoreRouter>(error) && error.data?.code === 'BAD_REQUEST' && error.data.failure === null;

export type { Actor, PublicRouter };

export type Outputs = inferRouterOutputs<CoreRouter>;
type Inputs = inferRouterInputs<CoreRouter>;
export type RunMaterial = NonNullable<Outputs['grading']['claim']>;
export type DrawingMaterial = NonNullable<Outputs['grading']['claimDrawing']>;
export type RecordedBatch = Omit<Inputs['grading']['record'], 'held'>;
export type RecordedQuestion = NonNullable<RecordedBatch['questions']>[number]['result'];
export type Recorded = Outputs['grading']['record'];
