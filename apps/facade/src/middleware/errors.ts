import type { ErrorRequestHandler, RequestHandler } from 'express';
import { BodyTooLarge } from '@evaluation/platform/client-limits';
import { failureOf, isUnreachable, type CoreAccess } from '@evaluation/core-client';
import { DomainFailure, type Failure } from '@evaluation/rest-contract/errors';
import type { Logger } from '@evaluation/platform/telemetry';
import { CutOff } from '../body/arrival.ts';
import { MalformedJson } from '../body/parseBody.ts';
import { isDeclared } from './declaredFailures.ts';
import { keepRefusal, sendReplay } from './idempotency.ts';
import { requestIdOf } from '@evaluation/platform/http';
import { routeOf } from './routeMetadata.ts';
import { sendFailure } from './sendFailure.ts';

export const notFound: RequestHandler = (_request, response) => {
  sendFailure(response, new DomainFailure('not_found').failure);
};

/**
 * Answers each error of a request with the error envelope.
 * @param validates answer 500 to a failure that the contract does not list for the route; used in tests
 */
export const errorHandler =
  (core: CoreAccess, log: Logger, validates: boolean): ErrorRequestHandler =>
  async (thrown: unknown, request, response, next) => {
    if (response.headersSent) {
      next(thrown);
      return;
    }
    const ours = failureOfRequest(thrown);
    // A body that was cut off is not stored under the idempotency key: the request is not known in full.
    const error =
      ours === null || thrown instanceof CutOff ? thrown : await keepRefusal(core, response, ours, thrown);
    if (sendReplay(request, response, error)) return;
    const failure = error === thrown && ours !== null ? ours : failureOf(error);
    const line = {
      err: error,
      request_id: requestIdOf(response),
      method: request.method,
      route: routeOf(request),
    };
    if (failure !== null) {
      if (validates && !isDeclared(request, failure)) {
        log.error({ ...line, code: failure.code }, 'failure is not declared in the contract of the route');
        sendFailure(response, new DomainFailure('internal_error').failure);
      } else sendFailure(response, failure);
      return;
    }
    if (isUnreachable(error)) {
      log.warn(line, 'core is not reachable');
      sendFailure(response, new DomainFailure('service_unavailable').failure);
      return;
    }
    log.error(line, 'request failed unexpectedly');
    sendFailure(response, new DomainFailure('internal_error').failure);
  };

const failureOfRequest = (error: unknown): Failure | null => {
  if (error instanceof DomainFailure) return error.failure;
  if (error instanceof MalformedJson || error instanceof CutOff)
    return new DomainFailure('malformed_json').failure;
  if (error instanceof BodyTooLarge) {
    if (error.excess === 'levels') return new DomainFailure('malformed_json').failure;
    return new DomainFailure('validation_failed', {
      details: { errors: [{ field: '', code: 'too_long', message: error.message }] },
    }).failure;
  }
  // Express throws URIError for a path that it cannot decode, such as /exams/%zz.
  return error instanceof URIError ? new DomainFailure('not_found').failure : null;
};
