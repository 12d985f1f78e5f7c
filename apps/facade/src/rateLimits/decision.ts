/* What a request asks of its windows, and what a client is told of them. */

/** What a request asks of one window. */
export interface Demand {
  /** `key:<id>:writes`, `institute:<id>:reads`. */
  subject: string;
  seconds: 1 | 60;
  /** Null: the request counts and is not limited here. */
  limit: number | null;
  cost: number;
}

/** What a client is told of one window. */
export interface Standing {
  limit: number;
  remaining: number;
  /** Until the window ends; at least 1. */
  resetSeconds: number;
}

/** One window of one subject, as this replica knows it. */
export interface Window {
  /** The same in all replicas. */
  name: string;
  endMs: number;
  /** All that is counted, as far as this replica knows. */
  total: number;
  /** What this replica has sent to the counter, answered or not. */
  sent: number;
  /** What this replica counted while NATS was away: not in the counter. */
  alone: number;
  /** When the store told the total; ms of a clock that never jumps. */
  toldMs: number;
}

/** Where one request is counted. */
export interface Place extends Demand {
  window: Window;
}

export type Decision =
  /** `tightest` is null when no window that was counted has a limit. */
  | { kind: 'admitted'; tightest: Standing | null; places: readonly Place[] }
  | { kind: 'refused'; by: Standing };

const standingOf = (window: Window, limit: number, remaining: number, nowMs: number): Standing => ({
  limit,
  remaining: Math.max(0, remaining),
  resetSeconds: Math.max(1, Math.ceil((window.endMs - nowMs) / 1000)),
});

/**
 * The window that refuses; of several the one that ends last: a client that waits for it is not refused by another.
 * @param totals of each place, with the cost of this request
 */
export const refusalOf = (
  places: readonly Place[],
  totals: readonly number[],
  nowMs: number,
): Standing | null => {
  let refusing: { window: Window; standing: Standing } | null = null;
  for (const [at, { window, limit, cost }] of places.entries()) {
    const total = totals[at] ?? 0;
    if (limit === null || total <= limit) continue;
    if (refusing !== null && window.endMs <= refusing.window.endMs) continue;
    const left = Math.min(limit - (total - cost), cost - 1);
    refusing = { window, standing: standingOf(window, limit, left, nowMs) };
  }
  return refusing?.standing ?? null;
};

/** The window with the least of its limit left; of two with the same part left, the one that ends later. */
export const tightestOf = (places: readonly Place[], nowMs: number): Standing | null => {
  let tightest: { window: Window; limit: number; left: number } | null = null;
  for (const { window, limit } of places) {
    if (limit === null) continue;
    const left = Math.max(0, limit - window.total);
    const order = tightest === null ? -1 : left * tightest.limit - tightest.left * limit;
    if (tightest === null || order < 0 || (order === 0 && window.endMs > tightest.window.endMs))
      tightest = { window, limit, left };
  }
  return tightest === null ? null : standingOf(tightest.window, tightest.limit, tightest.left, nowMs);
};
