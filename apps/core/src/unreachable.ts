import { LaneUnavailable } from '@evaluation/lanes';
import { ObjectStoreTimeout } from '@evaluation/object-store';

const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
]);
/** PostgreSQL: connection failures, shutting down, starting up, too many connections. */
const DATABASE = /^(08|57P0|53300)/;

/** Names the dependency that an error says is gone for the moment, or null when the error is something else. */
export const unreachable = (error: unknown): string | null => {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof LaneUnavailable) return 'NATS';
    if (cause instanceof ObjectStoreTimeout) return 'the object store';
    const code: unknown = Reflect.get(cause, 'code');
    if (typeof code === 'string' && DATABASE.test(code)) return 'PostgreSQL';
    if (typeof code === 'string' && NETWORK.has(code)) return 'a dependency';
    if (/timeout exceeded when trying to connect|Connection terminated/.test(cause.message))
      return 'PostgreSQL';
    if (cause instanceof AggregateError && cause.errors.length > 0) return unreachable(cause.errors[0]);
  }
  return null;
};
