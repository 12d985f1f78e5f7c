import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import { failureOf, isUnreachable } from '@evaluation/core-client';
import { DomainFailure, errors, type ErrorEnvelope, type Failure } from '@evaluation/rest-contract/errors';
import type { Logger } from '@evaluation/telemetry';
import { requestIdOf } from './requestId.ts';

/** The one place where a failure becomes HTTP: status, envelope, headers (spec 2.9, chapter 7). */

const RETRY_AFTER_SECONDS = 2;

export const sendFailure = (response: Response, failure: Failure): void => {
  const { status } = errors[failure.code];
  if (status === 503) response.setHeader('Retry-After', String(RETRY_AFTER_SECONDS));
  if (status === 429) response.setHeader('Retry-After', String(secondsUntilReset(failure)));
  const envelope: ErrorEnvelope = {
    error: {
      code: failure.code,
      message: failure.message,
      request_id: requestIdOf(response),
      ...(failure.details === undefined ? {} : { details: failure.details }),
    },
  };
  response.status(status).json(envelope);
};

const secondsUntilReset = (failure: Failure): number => {
  const resetsAt: unknown = failure.details?.['resets_at'];
  const seconds = typeof resetsAt === 'string' ? Math.ceil((Date.parse(resetsAt) - Date.now()) / 1000) : 1;
  return Math.max(1, seconds);
};

/** Any path and method that the contract does not name. */
export const notFound: RequestHandler = (_request, response) => {
  sendFailure(response, new DomainFailure('not_found').failure);
};

export const errorHandler =
  (log: Logger): ErrorRequestHandler =>
  (error: unknown, request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const failure =
      error instanceof DomainFailure ? error.failure : (failureOf(error) ?? parserFailure(error));
    if (failure !== null) {
      sendFailure(response, failure);
      return;
    }
    const line = {
      err: error,
      request_id: requestIdOf(response),
      method: request.method,
      path: request.path,
    };
    if (isUnreachable(error)) {
      log.warn(line, 'core is not reachable');
      sendFailure(response, new DomainFailure('service_unavailable').failure);
      return;
    }
    log.error(line, 'a request broke');
    sendFailure(response, new DomainFailure('internal_error').failure);
  };

/** What the JSON parser refuses. */
const parserFailure = (error: unknown): Failure | null => {
  const type: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'type') : undefined;
  switch (type) {
    case 'entity.parse.failed':
    case 'entity.verify.failed':
    case 'request.aborted':
    case 'request.size.invalid':
      return new DomainFailure('malformed_json').failure;
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return new DomainFailure('unsupported_media_type').failure;
    case 'entity.too.large':
      return new DomainFailure('validation_failed', {
        details: {
          errors: [{ field: '', code: 'too_long', message: 'The body is larger than any valid request.' }],
        },
      }).failure;
    default:
      // Express refuses a path such as /exams/%zz: it names nothing.
      return error instanceof URIError ? new DomainFailure('not_found').failure : null;
  }
};
