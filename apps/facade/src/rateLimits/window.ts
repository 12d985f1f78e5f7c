/* The counts of one fixed window (spec 8.2) and the arithmetic of rights on them. Pure; `ledger.ts` says what it is for. */

export type WindowSeconds = 1 | 60;

/** What one replica has done in one window; each number only grows. */
export interface Tally {
  used: number;
  /** To whom it gave rights, and how many. */
  given: Map<string, number>;
  /** It was asked and had nothing to give. */
  dry: boolean;
}

/** All that is known of one key or institute in one window. */
export interface Counter {
  own: Tally;
  others: Map<string, Tally>;
  /** Admitted, but not known to count yet; only this replica knows of them. */
  held: number;
  /** Whether others were asked for more: not yet, asked and not answered yet, or asked in vain. */
  asked: 'no' | 'open' | 'unanswered';
  /** What the next message shall ask for. */
  wants: { amount: number; limit: number } | null;
  /** Under which limit others asked last. */
  askedUnder: number | null;
}

/** One fixed window with all of its counters. */
export interface Window {
  readonly seconds: WindowSeconds;
  readonly startMs: number;
  readonly endMs: number;
  /** Who shares it, as of this version of the replicas. */
  sharing: readonly string[];
  version: number;
  readonly counters: Map<string, Counter>;
}

export const newTally = (): Tally => ({ used: 0, given: new Map(), dry: false });

export const newCounter = (): Counter => ({
  own: newTally(),
  others: new Map(),
  held: 0,
  asked: 'no',
  wants: null,
  askedUnder: null,
});

/** A replica's part of a limit; the parts of all add up to it. */
export const shareOf = (limit: number, sharing: readonly string[], id: string): number => {
  if (sharing.length === 1) return sharing[0] === id ? limit : 0;
  const at = sharing.indexOf(id);
  if (at === -1) return 0;
  return Math.floor(limit / sharing.length) + (at < limit % sharing.length ? 1 : 0);
};

/** Counted by all replicas, as far as it is known here, and held. */
export const totalOf = (counter: Counter): number => {
  let total = counter.own.used + counter.held;
  for (const other of counter.others.values()) total += other.used;
  return total;
};

/**
 * What this replica may still admit: its share and what it inherited and was given, less what it used, holds and gave.
 * Summed over all replicas this is never more than the limit less what all have used.
 * @param estate this replica first, then those whose heir it is
 */
export const rightsOf = (
  window: Window,
  counter: Counter,
  estate: readonly string[],
  limit: number,
): number => {
  const [self] = estate;
  let rights = -counter.held;
  for (const id of estate) {
    rights += shareOf(limit, window.sharing, id);
    const tally = id === self ? counter.own : counter.others.get(id);
    if (tally !== undefined) rights -= tally.used + sum(tally.given);
  }
  if (counter.others.size > 0) {
    for (const id of estate) {
      rights += counter.own.given.get(id) ?? 0;
      for (const other of counter.others.values()) rights += other.given.get(id) ?? 0;
    }
  }
  return rights;
};

const sum = (amounts: ReadonlyMap<string, number>): number => {
  let total = 0;
  if (amounts.size > 0) for (const amount of amounts.values()) total += amount;
  return total;
};

/** Takes over what a replica said of itself. It only grows, so a message that comes twice or late changes nothing. */
export const merge = (
  tally: Tally,
  said: { used: number; given?: Record<string, number> | undefined; dry?: boolean | undefined },
): void => {
  tally.used = Math.max(tally.used, said.used);
  tally.dry = said.dry ?? false;
  for (const [to, amount] of Object.entries(said.given ?? {}))
    tally.given.set(to, Math.max(tally.given.get(to) ?? 0, amount));
};
