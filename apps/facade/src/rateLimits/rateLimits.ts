import type { Counters } from '@evaluation/lanes';
import {
  refusalOf,
  tightestOf,
  type Batch,
  type Decision,
  type Demand,
  type CountedDemand,
  type RateLimitStatus,
  type Window,
} from './decision.ts';

/*
 * Rate limits that all replicas of the facade share (docs/decisions/044-one-counter-for-each-rate-limit.md).
 *
 * Each window of each key or institute is one counter on NATS. A request adds its cost to all of its windows and
 * reads the new totals. Requests that come while an addition to a window is under way are added together. If a total
 * is above its limit, the request subtracts its cost from all windows and is refused.
 *
 * State: the last total of each open window; whether NATS answered the last request. Overshoot: none while NATS
 * answers, since each request decides by a total that includes its own cost. NATS down or slow: the replica continues
 * from the last totals and counts its own requests. n replicas then admit up to n times a limit. One request a second
 * tries NATS again, without waiting for the answer. Races: a refused request counts for about a millisecond, in which
 * another request may be refused because of it. Process dies before it subtracts a cost: the cost stays counted until
 * the window ends. Clocks: a window is named by its start. Replicas whose clocks differ count in different windows for
 * that difference.
 */

export interface RateLimits {
  /** Counts a request in all of its windows; if one refuses, in none. */
  admit(demands: readonly Demand[]): Promise<Decision>;
  /** Subtracts the cost from all windows. Resolves when NATS has counted it, or is down. */
  release(places: readonly CountedDemand[]): Promise<void>;
  tightest(places: readonly CountedDemand[]): RateLimitStatus | null;
}

/** How long a full window refuses without asking NATS: under a flood, each window asks ten times a second. */
const FRESH_MS = 100;
const RETRY_MS = 1_000;
/** A window takes about 300 bytes. Beyond this number, a new window is not stored and begins at 0 for each request. */
const MAX_WINDOWS = 200_000;

/** @param now wall clock, ms since 1970; `steady` a monotonic clock in ms */
export const openRateLimits = (
  counters: Counters,
  { now = Date.now, steady = () => performance.now() }: { now?: () => number; steady?: () => number } = {},
): RateLimits => {
  const windows = new Map<string, Window>();
  let isDown = false;
  let retryMs = 0;
  let sweptMs = Number.NEGATIVE_INFINITY;

  /** Deletes windows that have ended; at most once a second, because it visits every window. */
  const sweep = (nowMs: number): void => {
    if (nowMs - sweptMs < 1_000 && nowMs >= sweptMs) return;
    sweptMs = nowMs;
    for (const [name, { endMs }] of windows) if (endMs <= nowMs) windows.delete(name);
  };

  const windowOf = ({ subject, seconds }: Demand, nowMs: number): Window => {
    const start = Math.floor(nowMs / (seconds * 1000)) * seconds;
    const name = `${subject}:${seconds}:${start}`;
    const found = windows.get(name);
    if (found !== undefined) return found;
    sweep(nowMs);
    const window: Window = {
      name,
      endMs: (start + seconds) * 1000,
      total: 0,
      sent: 0,
      alone: 0,
      answeredAtMs: Number.NEGATIVE_INFINITY,
      batch: null,
      underWay: Promise.resolve(),
    };
    if (windows.size < MAX_WINDOWS) windows.set(name, window);
    return window;
  };

  /** Adds `amount` on NATS. @returns the new total; null when NATS did not answer */
  const ask = async (window: Window, amount: number): Promise<number | null> => {
    const sent = (window.sent += amount);
    try {
      const total = (await counters.count(window.name, amount)) + window.alone;
      window.total = total + (window.sent - sent) + (window.batch?.amount ?? 0);
      window.answeredAtMs = steady();
      isDown = false;
      return total;
    } catch {
      isDown = true;
      retryMs = steady() + RETRY_MS;
      return null;
    }
  };

  /**
   * Adds `amount` together with the requests that come while an earlier addition to the window is under way. Each gets
   * the total that it would get if the additions followed each other.
   */
  const askTogether = (window: Window, amount: number): Promise<number | null> => {
    const batch = (window.batch ??= newBatch(window));
    batch.amount += amount;
    const upToThis = batch.amount;
    return batch.total.then((total) => (total === null ? null : total - (batch.amount - upToThis)));
  };

  const newBatch = (window: Window): Batch => {
    const batch: Batch = {
      amount: 0,
      total: window.underWay.then(() => {
        window.batch = null;
        // The addition before this one got no answer, so this one is not sent.
        if (isDown) {
          window.alone += batch.amount;
          return null;
        }
        const total = ask(window, batch.amount);
        window.underWay = total;
        return total;
      }),
    };
    return batch;
  };

  /** Adds `amount` on NATS or, while NATS is down, locally. @returns the new total */
  const add = async (window: Window, amount: number): Promise<number> => {
    const own = (window.total += amount);
    if (!isDown) return (await askTogether(window, amount)) ?? own;
    if (steady() >= retryMs) {
      retryMs = steady() + RETRY_MS;
      void ask(window, amount);
    } else {
      window.alone += amount;
    }
    return own;
  };

  const release = async (places: readonly CountedDemand[]): Promise<void> => {
    await Promise.all(places.map(({ window, cost }) => add(window, -cost)));
  };

  return {
    async admit(demands) {
      const places = demands.map((demand) => ({ ...demand, window: windowOf(demand, now()) }));
      const known = places.filter(({ window }) => isDown || steady() - window.answeredAtMs < FRESH_MS);
      const full = refusalOf(
        known,
        known.map(({ window, cost }) => window.total + cost),
        now(),
      );
      if (full !== null) return { kind: 'refused', by: full };
      const totals = await Promise.all(places.map(({ window, cost }) => add(window, cost)));
      const by = refusalOf(places, totals, now());
      if (by === null) return { kind: 'admitted', tightest: tightestOf(places, now()), places };
      await release(places);
      return { kind: 'refused', by };
    },
    release,
    tightest: (places) => tightestOf(places, now()),
  };
};
