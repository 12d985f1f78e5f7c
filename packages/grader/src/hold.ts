/**
 * The moment before which an endpoint wants to be left alone: no call goes out, and no new run begins. One object may stand
 * for all graders of a process that ask the same endpoint: what one of them is told concerns the others.
 *
 *   asked to wait ──▶ nothing goes out until then; a permission to begin a run is taken back
 *   the moment comes ──▶ calls that waited go, spread over a while; runs may begin after them, so that it is the calls in
 *     hand that find out whether the endpoint answers again, and not one new run after the other that fails for it
 *
 * State: that moment and the spread. It dies with the process, and the next one is told anew.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Hold {
  /** The endpoint asked to be left alone for so long. */
  askedToWait(ms: number): void;
  /** Resolves when a call may go out. Rejects with the signal's reason. */
  over(signal: AbortSignal): Promise<void>;
  /** Resolves when a run may begin: to a signal that takes that back. Rejects with the signal's reason. */
  mayBegin(signal: AbortSignal): Promise<AbortSignal>;
}

/** An endpoint that asks for longer is asked again once in this time: quotas come back sooner than they say. */
export const LONGEST_HOLD_MS = 60_000;
/** Over this share of a hold, and no longer than this, the calls that waited for its end are spread. */
const SPREAD = 0.25;
const LONGEST_SPREAD_MS = 3000;

export function createHold(): Hold {
  let heldUntil = 0;
  let spreadMs = 0;
  let permission = newPermission();

  /** A hold may be put off while it is waited for. */
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
    askedToWait(ms) {
      const moment = Date.now() + Math.min(ms, LONGEST_HOLD_MS);
      if (moment <= heldUntil) return;
      heldUntil = moment;
      spreadMs = Math.min(ms * SPREAD, LONGEST_SPREAD_MS);
      permission.abort();
      permission = newPermission();
    },
    over: (signal) => until(() => heldUntil, signal),
    async mayBegin(signal) {
      await until(() => heldUntil + 2 * spreadMs, signal);
      return permission.signal;
    },
  };
}

function newPermission(): AbortController {
  const permission = new AbortController();
  // As many listen as slots wait for a run.
  setMaxListeners(0, permission.signal);
  return permission;
}
