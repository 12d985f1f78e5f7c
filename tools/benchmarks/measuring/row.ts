import { median, type Measured, type Side } from './rounds.ts';
import type { Servers } from './servers.ts';

/** A row of the benchmark: the service beside its peers. */
export interface Row {
  name: string;
  what: string;
  /** Set when the row takes seconds of CPU only: the test runs these rows. */
  isCheap?: true;
  /** Rounds that warm caches, plans and compiled code before the counted ones; 1 if not set. */
  warmRounds?: number;
  open(servers: Servers, scale: number): Promise<OpenRow>;
  verdicts(measured: Measures): Verdict[];
}

interface OpenRow {
  sides: Side[];
  /** Peers that could not be measured, with the reason. */
  absent?: string[];
  close(): Promise<void>;
}

export interface Verdict {
  what: string;
  /** Null if a peer is absent. */
  value: number | null;
  atLeast?: number;
  atMost?: number;
}

/** Measures of the sides of a row. Each is null if the side is absent. */
interface Measures {
  of(side: string): Measured | null;
  value(side: string, measure: (measured: Measured) => number): number | null;
  /** Speed of `side` divided by the speed of `other`: the median over the pairs of rounds. */
  speedOver(side: string, other: string): number | null;
}

export const measuresOf = (all: readonly Measured[]): Measures => {
  const find = (side: string): Measured | null => all.find((one) => one.side === side) ?? null;
  return {
    of: find,
    value: (side, measure) => {
      const found = find(side);
      return found === null ? null : measure(found);
    },
    speedOver: (side, other) => {
      const [a, b] = [find(side), find(other)];
      if (a === null || b === null) return null;
      const each = ({ rounds, operations }: Measured, at: number) =>
        (rounds[at]?.seconds ?? Number.NaN) / operations;
      return median(a.rounds.map((_, at) => each(b, at) / each(a, at)));
    },
  };
};
