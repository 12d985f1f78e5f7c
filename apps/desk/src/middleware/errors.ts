import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import { failureOf, isUnreachable } from '@evaluation/core-client';
import { errors, type Failure } from '@evaluation/rest-contract/errors';
import type { Logger } from '@evaluation/platform/telemetry';
import { requestIdOf } from '@evaluation/platform/http';

/** Reasons why the desk itself refuses a request; core has the rules for everything else. */
type Reason =
  | 'BAD_REQUEST'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'PAYLOAD_TOO_LARGE'
  | 'SERVICE_UNAVAILABLE'
  | 'TOO_MANY_REQUESTS'
  | 'INTERNAL_SERVER_ERROR'
  | 'UNAUTHORIZED';

export class Refusal extends Error {
  readonly status: number;
  readonly reason: Reason;
  readonly retryAfterSeconds: number | null;

  constructor(status: number, reason: Reason, retryAfterSeconds: number | null = null) {
    super(reason);
    this.name = 'Refusal';
    this.status = status;
    this.reason = reason;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Sends an error in the envelope of tRPC, which the page reads for every path of the desk. */
const sendError = (response: Response, status: number, code: string, failure: Failure | null): void => {
  response.status(status).json({
    error: {
      message: failure?.message ?? code,
      code: -32_000,
      data: { code, httpStatus: status, failure, request_id: requestIdOf(response) },
    },
  });
};

export const notFound: RequestHandler = (_request, response) => sendError(response, 404, 'NOT_FOUND', null);

export const errorHandler =
  (log: Logger): ErrorRequestHandler =>
  (thrown: unknown, request, response, next) => {
    if (response.headersSent) {
      next(thrown);
      return;
    }
    const line = { err: thrown, request_id: requestIdOf(response), method: request.method };
    const failure = failureOf(thrown);
    if (failure !== null) sendError(response, errors[failure.code].status, failure.code, failure);
    else if (thrown instanceof Refusal) {
      if (thrown.retryAfterSeconds !== null) response.set('retry-after', String(thrown.retryAfterSeconds));
      sendError(response, thrown.status, thrown.reason, null);
    } else if (isUnreachable(thrown)) {
      log.warn(line, 'core is not reachable');
      sendError(response, 503, 'SERVICE_UNAVAILABLE', null);
    } else {
      const status = statusOf(thrown);
      if (status === 500) log.error(line, 'request failed unexpectedly');
      sendError(response, status, REASONS.get(status) ?? 'INTERNAL_SERVER_ERROR', null);
    }
  };

const REASONS: ReadonlyMap<number, Reason> = new Map([
  [400, 'BAD_REQUEST'],
  [413, 'PAYLOAD_TOO_LARGE'],
]);

/** Express's readers of bodies and paths throw errors with a status below 500. */
const statusOf = (error: unknown): number => {
  if (error instanceof URIError) return 400;
  const status: unknown = error instanceof Error ? Reflect.get(error, 'status') : undefined;
  if (status === 413) return 413;
  return typeof status === 'number' && status >= 400 && status < 500 ? 400 : 500;
};
