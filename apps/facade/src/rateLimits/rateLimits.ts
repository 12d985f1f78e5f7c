import type { Counters } from '@evaluation/lanes';
import {
  refusalOf,
  tightestOf,
  type Decision,
  type Demand,
  type Place,
  type Standing,
  type Window,
} from './decision.ts';

/*
 * Rate limits that all replicas of the facade keep together (docs/decisions/014).
 *
 * Each window of each key or institute is one counter on NATS. A request adds its cost to all of its windows and reads the
 * new totals. If one is above its limit, the request takes its cost back from all of them and is refused.
 *
 * State: the last total of each open window; whether NATS answered the last question.
 * Overshoot: none while NATS answers, since each request decides by a total that includes it.
 * NATS down or slow: the replica goes on from the last totals and counts its own requests. n replicas then admit up to n
 * times a limit. One request a second asks NATS again, without waiting for the answer.
 * Requests that race: one that is refused holds a place for about a millisecond, and another may be refused for it.
 * Process dies before it takes a cost back: the cost stays counted until the window ends.
 * Clocks: a window is named by its start. Replicas whose clocks differ count in different windows for that difference.
 */

export interface RateLimits {
  /** Counts a request in all of its windows, or in none and refuses it. */
  admit(demands: readonly Demand[]): Promise<Decision>;
  /** Takes back what was counted. Resolves when all replicas see it, or NATS is away. */
  release(places: readonly Place[]): Promise<void>;
  tightest(places: readonly Place[]): Standing | null;
}

/** A full window refuses by itself for so long before the replica asks NATS again: a flood asks ten times a second. */
const FRESH_MS = 100;
const RETRY_MS = 1_000;
/** Some 300 bytes each. Beyond it a new window begins at 0 for each request. */
const MAX_WINDOWS = 200_000;

/** @param now wall clock, ms since 1970; `steady` one that never jumps */
export const openRateLimits = (
  counters: Counters,
  { now = Date.now, steady = () => performance.now() }: { now?: () => number; steady?: () => number } = {},
): RateLimits => {
  const windows = new Map<string, Window>();
  let isDown = false;
  let retryMs = 0;
  let sweptMs = Number.NEGATIVE_INFINITY;

  /** Once a second, so that a busy replica does not look at every window for each request. */
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
    const window = {
      name,
      endMs: (start + seconds) * 1000,
      total: 0,
      sent: 0,
      alone: 0,
      toldMs: Number.NEGATIVE_INFINITY,
    };
    if (windows.size < MAX_WINDOWS) windows.set(name, window);
    return window;
  };

  /** @returns the total with `amount`; null when NATS did not tell */
  const ask = async (window: Window, amount: number): Promise<number | null> => {
    const sent = (window.sent += amount);
    try {
      const total = (await counters.count(window.name, amount)) + window.alone;
      window.total = total + (window.sent - sent);
      window.toldMs = steady();
      isDown = false;
      return total;
    } catch {
      isDown = true;
      retryMs = steady() + RETRY_MS;
      return null;
    }
  };

  /** @returns the total with `amount` */
  const add = async (window: Window, amount: number): Promise<number> => {
    const own = (window.total += amount);
    if (!isDown) return (await ask(window, amount)) ?? own;
    if (steady() >= retryMs) {
      retryMs = steady() + RETRY_MS;
      void ask(window, amount);
    } else {
      window.alone += amount;
    }
    return own;
  };

  const release = async (places: readonly Place[]): Promise<void> => {
    await Promise.all(places.map(({ window, cost }) => add(window, -cost)));
  };

  return {
    async admit(demands) {
      const places = demands.map((demand) => ({ ...demand, window: windowOf(demand, now()) }));
      const known = places.filter(({ window }) => isDown || steady() - window.toldMs < FRESH_MS);
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
