import type { ErrorRequestHandler, RequestHandler } from 'express';
import { failureOf, isUnreachable, type CoreAccess } from '@evaluation/core-client';
import { DomainFailure, type Failure } from '@evaluation/rest-contract/errors';
import type { Logger } from '@evaluation/telemetry';
import { keepRefusal, sendReplay } from './idempotency.ts';
import { requestIdOf } from './requestId.ts';
import { routeOf } from './routeMetadata.ts';
import { sendFailure } from './sendFailure.ts';

/** Any path and method that the contract does not name. */
export const notFound: RequestHandler = (_request, response) => {
  sendFailure(response, new DomainFailure('not_found').failure);
};

/** Whatever went wrong with a request ends here, and leaves as an answer of the one shape. */
export const errorHandler =
  (core: CoreAccess, log: Logger): ErrorRequestHandler =>
  async (thrown: unknown, request, response, next) => {
    if (response.headersSent) {
      next(thrown);
      return;
    }
    const ours = thrown instanceof DomainFailure ? thrown.failure : parserFailure(thrown);
    const error =
      ours === null || wasCutOff(thrown) ? thrown : await keepRefusal(core, response, ours, thrown);
    if (sendReplay(request, response, error)) return;
    const failure = error === thrown && ours !== null ? ours : failureOf(error);
    if (failure !== null) {
      sendFailure(response, failure);
      return;
    }
    const line = {
      err: error,
      request_id: requestIdOf(response),
      method: request.method,
      route: routeOf(request),
    };
    if (isUnreachable(error)) {
      log.warn(line, 'core is not reachable');
      sendFailure(response, new DomainFailure('service_unavailable').failure);
      return;
    }
    log.error(line, 'a request broke');
    sendFailure(response, new DomainFailure('internal_error').failure);
  };

/** The request did not arrive as it was sent: that says nothing of the request, and is no outcome of its key. */
const wasCutOff = (error: unknown): boolean =>
  ['request.aborted', 'request.size.invalid'].includes(parserErrorOf(error));

const parserErrorOf = (error: unknown): string =>
  typeof error === 'object' && error !== null ? String(Reflect.get(error, 'type')) : '';

/** What the JSON parser refuses. */
const parserFailure = (error: unknown): Failure | null => {
  switch (parserErrorOf(error)) {
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
