export interface Demand {
  /** `key:<id>:writes`, `institute:<id>:reads`. */
  subject: string;
  seconds: 1 | 60;
  /** Null: the request is counted but not limited. */
  limit: number | null;
  cost: number;
}

export interface RateLimitStatus {
  limit: number;
  remaining: number;
  /** Seconds until the window ends; at least 1. */
  resetSeconds: number;
}

/** Counter of one subject in one window, as this replica knows it. */
export interface Window {
  name: string;
  endMs: number;
  /** Latest known total of all replicas. */
  total: number;
  /** Sum that this replica has sent to the counter, answered or not. */
  sent: number;
  /** Sum that this replica counted while NATS was down; it is not in the counter. */
  alone: number;
  /** Monotonic time in ms of the latest answer from NATS. */
  answeredAtMs: number;
  /** Additions that wait for the one under way; null if none waits. */
  batch: Batch | null;
  /** Resolves when no addition is under way; never rejects. */
  underWay: Promise<unknown>;
}

/** Additions that are sent to the counter as one. */
export interface Batch {
  amount: number;
  /** The counter's total after all of them; null without an answer. */
  total: Promise<number | null>;
}

export interface CountedDemand extends Demand {
  window: Window;
}

export type Decision =
  /** `tightest` is null when none of the windows has a limit for this request. */
  | { kind: 'admitted'; tightest: RateLimitStatus | null; places: readonly CountedDemand[] }
  | { kind: 'refused'; by: RateLimitStatus };

const statusOf = (window: Window, limit: number, remaining: number, nowMs: number): RateLimitStatus => ({
  limit,
  remaining: Math.max(0, remaining),
  resetSeconds: Math.max(1, Math.ceil((window.endMs - nowMs) / 1000)),
});

/**
 * Returns the window that refuses the request. Of several windows, returns the last to end, so that no other window
 * refuses a retry after that time.
 * @param totals of each place, including the cost of this request
 */
export const refusalOf = (
  places: readonly CountedDemand[],
  totals: readonly number[],
  nowMs: number,
): RateLimitStatus | null => {
  let refusing: { window: Window; status: RateLimitStatus } | null = null;
  for (const [at, { window, limit, cost }] of places.entries()) {
    const total = totals[at] ?? 0;
    if (limit === null || total <= limit) continue;
    if (refusing !== null && window.endMs <= refusing.window.endMs) continue;
    const left = Math.min(limit - (total - cost), cost - 1);
    refusing = { window, status: statusOf(window, limit, left, nowMs) };
  }
  return refusing?.status ?? null;
};

/** Returns the window with the smallest share of its limit left; of equal shares, the one that ends later. */
export const tightestOf = (places: readonly CountedDemand[], nowMs: number): RateLimitStatus | null => {
  let tightest: { window: Window; limit: number; left: number } | null = null;
  for (const { window, limit } of places) {
    if (limit === null) continue;
    const left = Math.max(0, limit - window.total);
    const order = tightest === null ? -1 : left * tightest.limit - tightest.left * limit;
    if (tightest === null || order < 0 || (order === 0 && window.endMs > tightest.window.endMs))
      tightest = { window, limit, left };
  }
  return tightest === null ? null : statusOf(tightest.window, tightest.limit, tightest.left, nowMs);
};
