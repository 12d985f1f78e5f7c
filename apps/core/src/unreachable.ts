import { LaneUnavailable } from '@evaluation/lanes';
import { ObjectStoreTimeout } from '@evaluation/object-store';
import { NoTurn } from '@evaluation/turns';

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
 * PostgreSQL cannot serve us for the moment: connection failures (08), out of resources (53), shutting down or starting
 * up (57P0), not accepting connections (55000), a lock or a transaction that took too long (55P03, 25P03, 25P04), and
 * conflicts that several tries did not resolve (40001, 40P01).
 */
const DATABASE = /^(?:08|53|57P0|55000|55P03|25P0[34]|40001|40P01)/;
/** Prisma's own: cannot reach, timed out, closed, no connection free. */
const PRISMA = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024']);
const BROKEN =
  /timeout exceeded when trying to connect|Connection terminated|connection error and is not queryable/;

/** Names the dependency that an error says is gone for the moment, or null when the error is something else. */
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

/** The SDK's errors carry the status that the store answered with; 5xx and 429 pass. */
const isStoreTrouble = (error: Error): boolean => {
  const metadata: unknown = Reflect.get(error, '$metadata');
  const status: unknown =
    typeof metadata === 'object' && metadata !== null ? Reflect.get(metadata, 'httpStatusCode') : null;
  return typeof status === 'number' && (status >= 500 || status === 429);
};
