import { TimedOut } from './failures.ts';

/** @throws TimedOut when `ms` are over before the request ends */
export const inTime = async <T>(
  ms: number,
  signal: AbortSignal,
  request: (limited: AbortSignal) => Promise<T>,
): Promise<T> => {
  const limit = AbortSignal.timeout(ms);
  try {
    return await request(AbortSignal.any([signal, limit]));
  } catch (error) {
    throw limit.aborted && !signal.aborted ? new TimedOut() : error;
  }
};
