import { LaneUnavailable } from '@evaluation/lanes';
import { ObjectStoreTimeout } from '@evaluation/object-store';
import { NoTurn } from '@evaluation/platform/turns';

const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
]);

/**
 * SQLSTATE prefixes of temporary failures: connection failures (08), out of resources (53), shutdown or start-up
 * (57P0), not accepting connections (55000), lock or transaction timeouts (55P03, 25P03, 25P04), and conflicts that
 * remain after several tries (40001, 40P01).
 */
const DATABASE = /^(?:08|53|57P0|55000|55P03|25P0[34]|40001|40P01)/;
/** Codes of Prisma: cannot reach, timed out, closed, no free connection, no transaction in time, a conflict. */
const PRISMA = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2034']);
const BROKEN =
  /timeout exceeded when trying to connect|Connection terminated|connection error and is not queryable/;

/** Returns the name of the temporarily unreachable dependency, or null for any other error. */
export const unreachable = (error: unknown): string | null => {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof LaneUnavailable) return 'NATS';
    if (cause instanceof NoTurn) return cause.what;
    if (cause instanceof ObjectStoreTimeout || isStoreTrouble(cause)) return 'the object store';
    const code: unknown = Reflect.get(cause, 'code') ?? Reflect.get(cause, 'errorCode');
    if (typeof code === 'string' && (DATABASE.test(code) || PRISMA.has(code))) return 'PostgreSQL';
    if (typeof code === 'string' && NETWORK.has(code)) return 'a dependency';
    if (BROKEN.test(cause.message)) return 'PostgreSQL';
    if (cause instanceof AggregateError && cause.errors.length > 0) return unreachable(cause.errors[0]);
  }
  return null;
};

/** Errors of the S3 SDK carry the HTTP status; 5xx and 429 are temporary. */
const isStoreTrouble = (error: Error): boolean => {
  const metadata: unknown = Reflect.get(error, '$metadata');
  const status: unknown =
    typeof metadata === 'object' && metadata !== null ? Reflect.get(metadata, 'httpStatusCode') : null;
  return typeof status === 'number' && (status >= 500 || status === 429);
};
