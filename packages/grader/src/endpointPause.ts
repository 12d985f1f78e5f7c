/**
 * The time until which an endpoint asked for a pause: until then no call is sent and no run begins. Graders of a
 * process that use the same endpoint may share one object.
 *
 *   endpoint asks for a pause ──▶ calls wait; the permission to begin a run is revoked
 *   pause ends ──▶ waiting calls are sent, spread over a short time; runs may begin after them, so that calls of
 *     running runs find out whether the endpoint answers again, and not a series of new runs that would fail
 *
 * State: the end of the pause and the spread, in memory of the process.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

export interface EndpointPause {
  extend(ms: number): void;
  /** Resolves when a call may be sent. Rejects with the signal's reason. */
  over(signal: AbortSignal): Promise<void>;
  /** Resolves when a run may begin, to a signal that revokes the permission. Rejects with the signal's reason. */
  mayBegin(signal: AbortSignal): Promise<AbortSignal>;
}

/** Longest pause. After it the endpoint is called again, because quotas often recover sooner than announced. */
export const LONGEST_PAUSE_MS = 60_000;
/** Share of a pause over which waiting calls are spread afterwards. */
const SPREAD = 0.25;
const LONGEST_SPREAD_MS = 3000;

export const createEndpointPause = (): EndpointPause => {
  let pausedUntil = 0;
  let spreadMs = 0;
  let permission = newPermission();

  /** Waits until a time that may move while it waits. */
  async function until(moment: () => number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    try {
      for (let wait = moment() - Date.now(); wait > 0; wait = moment() - Date.now()) {
        await sleep(wait + spreadMs * Math.random(), undefined, { signal });
      }
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    }
  }

  return {
    extend(ms) {
      const moment = Date.now() + Math.min(ms, LONGEST_PAUSE_MS);
      if (moment <= pausedUntil) return;
      pausedUntil = moment;
      spreadMs = Math.min(ms * SPREAD, LONGEST_SPREAD_MS);
      permission.abort();
      permission = newPermission();
    },
    over: (signal) => until(() => pausedUntil, signal),
    async mayBegin(signal) {
      await until(() => pausedUntil + 2 * spreadMs, signal);
      return permission.signal;
    },
  };
};

/** A permission to begin runs; an abort revokes it. */
export const newPermission = (): AbortController => {
  const permission = new AbortController();
  // One listener for each slot that waits for a run.
  setMaxListeners(0, permission.signal);
  return permission;
};
