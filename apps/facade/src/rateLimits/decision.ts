import { totalOf, type Counter, type Window, type WindowSeconds } from './window.ts';

/* What is asked of the ledger for one request, and what a client is told of it (spec 8.2). */

/** What a request asks of one window. */
export interface Demand {
  /** `key:<id>:writes`, `institute:<id>:reads`. */
  subject: string;
  seconds: WindowSeconds;
  /** Null: counted for others who have a limit, and not limited itself. */
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

export type Outcome =
  /** `tightest` is null when nothing that was counted has a limit. */
  | { kind: 'admitted'; tightest: Standing | null; places: readonly Place[] }
  | { kind: 'refused'; by: Standing }
  /** Others may have rights to give: take again after the next news. */
  | { kind: 'asking' };

/** Where one request is counted, or held. */
export interface Place extends Demand {
  window: Window;
  counter: Counter;
}

export const standingOf = (window: Window, limit: number, remaining: number, nowMs: number): Standing => ({
  limit,
  remaining: Math.max(0, remaining),
  resetSeconds: Math.max(1, Math.ceil((window.endMs - nowMs) / 1000)),
});

/** The window with the least of its limit left; of two with the same part left, the one that ends later. */
export const tightestOf = (places: readonly Place[], nowMs: number): Standing | null => {
  let tightest: { window: Window; limit: number; left: number } | null = null;
  for (const { window, counter, limit } of places) {
    if (limit === null) continue;
    const left = Math.max(0, limit - totalOf(counter));
    const order = tightest === null ? -1 : left * tightest.limit - tightest.left * limit;
    if (tightest === null || order < 0 || (order === 0 && window.endMs > tightest.window.endMs))
      tightest = { window, limit, left };
  }
  return tightest === null ? null : standingOf(tightest.window, tightest.limit, tightest.left, nowMs);
};
