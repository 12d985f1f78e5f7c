import { withTimeLimit } from '../timeLimit.ts';
import { TimedOut } from './failures.ts';

/** @throws TimedOut when `ms` are over before the request ends */
export const inTime = <T>(
  ms: number,
  signal: AbortSignal,
  request: (limited: AbortSignal) => Promise<T>,
): Promise<T> => withTimeLimit({ signal, ms, late: () => new TimedOut() }, request);
