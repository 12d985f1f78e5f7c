import { isDeepStrictEqual } from 'node:util';
import type { ErrorBody } from '../../../tests/harness/api.ts';
import type { Operation } from './document.ts';

export interface Received {
  status: number;
  headers: Headers;
  text: string;
}

/** Text in each object of the other institute, and in no request. */
export const FOREIGN = 'belongs-to-the-other-institute';

/** Bytes of URL and headers above which the HTTP server answers 431 by itself (docs/api/limits.md). */
const MOST_HEAD_BYTES = 16_384;
/** Headers that fetch adds. */
const ADDED_BYTES = 400;

/** Faults of one answer, whatever the request was. @param headBytes of the request's URL and headers */
export const faultsOf = (operation: Operation, answer: Received, headBytes: number): string[] => {
  const { status, text } = answer;
  if (status === 431 && headBytes + ADDED_BYTES > MOST_HEAD_BYTES) return [];
  if (text.includes(FOREIGN)) return ['shows data of another institute'];
  if (status >= 500) return [`answers ${status}`];
  const validatorOf = operation.answers.get(status);
  if (validatorOf === undefined) return [`answers ${status}, which is not documented`];
  const requestId = answer.headers.get('x-request-id');
  if (requestId === null) return ['has no X-Request-Id'];
  const validate = validatorOf();
  if (validate === null) return [];
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return [`answers ${status} without JSON`];
  }
  if (!validate(body)) {
    const [error] = validate.errors ?? [];
    return [`answers ${status} against its schema: ${error?.instancePath} ${error?.message}`];
  }
  return status >= 400 ? envelopeFaults(body as ErrorBody, requestId) : [];
};

const envelopeFaults = ({ error, ...rest }: ErrorBody, requestId: string): string[] => {
  if (!isDeepStrictEqual(rest, {})) return ['has more than `error` in its envelope'];
  if (error.request_id !== requestId) return ['names another request id in its body'];
  if (error.message === '') return ['has an empty message'];
  if (error.code === 'validation_failed' && (error.details?.errors ?? []).length === 0)
    return ['names no field that is wrong'];
  return [];
};
