import type { Response } from 'express';
import { errors, type ErrorEnvelope, type Failure } from '@evaluation/rest-contract/errors';
import { requestIdOf } from '@evaluation/platform/http';

/** The only place that turns a failure into an HTTP response (docs/api/conventions.md#errors). */

const RETRY_AFTER_SECONDS = 2;

export const sendFailure = (response: Response, failure: Failure): void => {
  const { status } = errors[failure.code];
  if (status === 503) response.setHeader('Retry-After', String(RETRY_AFTER_SECONDS));
  // A refusal by the rate limiter has set Retry-After already.
  if (status === 429 && !response.hasHeader('Retry-After'))
    response.setHeader('Retry-After', String(secondsUntilReset(failure)));
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
