/** Rounds of several sides in turns, so that a slow minute of the machine meets all sides. */
import { setTimeout as wait } from 'node:timers/promises';
import { cpuOfParts, type Parts } from './processCpu.ts';
import type { BenchDatabase } from './servers.ts';

export interface Side {
  name: string;
  parts: Parts;
  /** Database whose transactions are counted; null if the side has none. */
  database: BenchDatabase | null;
  /** Operations of one round. */
  operations: number;
  round(): Promise<RoundOutcome | void>;
}

/** Result of a round. Without `seconds` the wall time of the round counts. */
interface RoundOutcome {
  seconds?: number;
  /** Seconds that the round would take if only its model calls took time. */
  idealSeconds?: number;
  /** Statements that the benchmark itself sent to the side's database. */
  looks?: number;
}

interface Round {
  seconds: number;
  idealSeconds: number | null;
  looks: number;
  /** CPU milliseconds of each part. */
  cpu: Record<string, number>;
}

export interface Measured {
  side: string;
  operations: number;
  rounds: Round[];
  /** Per operation, without those of the idle service and of the benchmark; null if not counted. */
  transactions: number | null;
}

interface RoundOptions {
  rounds: number;
  /** Rounds of each side that do not count. */
  warmRounds: number;
  /** Counting takes half a minute, because PostgreSQL reports late. */
  countTransactions: boolean;
}

/** PostgreSQL's backends report their counts at the latest after 10 s without a statement. */
const REPORTED_MS = 11_000;
const IDLE_MS = 5_000;

export const alternate = async (sides: readonly Side[], options: RoundOptions): Promise<Measured[]> => {
  const measured = sides.map(({ name, operations }) => ({
    side: name,
    operations,
    rounds: [] as Round[],
    transactions: null as number | null,
  }));
  for (let number = 0; number < options.warmRounds; number += 1) for (const side of sides) await side.round();
  await analyze(sides);
  const counting = options.countTransactions ? await beginCounting(sides) : null;
  for (let number = 0; number < options.rounds; number += 1) {
    for (const [at, side] of sides.entries()) measured[at]?.rounds.push(await roundOf(side));
  }
  const counts = await counting?.();
  for (const [at, one] of measured.entries()) {
    const count = counts?.[at] ?? null;
    const looks = one.rounds.reduce((sum, round) => sum + round.looks, 0);
    one.transactions = count === null ? null : Math.max(0, count - looks) / (one.operations * options.rounds);
  }
  return measured;
};

/**
 * Collects the planner's statistics, as PostgreSQL's autovacuum does within a minute of the first rows. Plans that were
 * made for empty tables read more rows with each operation.
 */
const analyze = async (sides: readonly Side[]): Promise<void> => {
  for (const database of new Set(sides.map((side) => side.database)))
    await database?.observer.query('analyze');
};

const roundOf = async (side: Side): Promise<Round> => {
  const before = await cpuOfParts(side.parts);
  const begun = performance.now();
  const outcome = (await side.round()) ?? {};
  const seconds = (performance.now() - begun) / 1000;
  const after = await cpuOfParts(side.parts);
  return {
    seconds: outcome.seconds ?? seconds,
    idealSeconds: outcome.idealSeconds ?? null,
    looks: outcome.looks ?? 0,
    cpu: Object.fromEntries(
      Object.entries(after).map(([part, ms]) => [part, ms - (before[part] ?? ms)] as const),
    ),
  };
};

/**
 * @returns a function that returns the number of transactions since this call, without those that an idle side makes
 */
const beginCounting = async (sides: readonly Side[]): Promise<() => Promise<(number | null)[]>> => {
  const count = (): Promise<(number | null)[]> => Promise.all(sides.map(committed));
  await wait(REPORTED_MS);
  const [idleCounts, idleBegun] = [await count(), performance.now()];
  await wait(IDLE_MS);
  const [first, begun] = [await count(), performance.now()];
  return async () => {
    await wait(REPORTED_MS);
    const [last, ended] = [await count(), performance.now()];
    return last.map((now, at) => {
      const [was, idle] = [first[at] ?? null, idleCounts[at] ?? null];
      if (now === null || was === null || idle === null) return null;
      const idleRate = (was - idle) / (begun - idleBegun);
      return Math.max(0, now - was - idleRate * (ended - begun));
    });
  };
};

const committed = async ({ database }: Side): Promise<number | null> => {
  if (database === null) return null;
  const { rows } = await database.observer.query<{ commits: number }>(
    'select xact_commit::float8 as commits from pg_stat_database where datname = current_database()',
  );
  return rows[0]?.commits ?? null;
};

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = Number.NaN, high = Number.NaN] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[middle]];
  return (low + high) / 2;
};

/** CPU milliseconds of one operation by part, the median of the rounds. */
export const cpuEach = (measured: Measured): Record<string, number> => {
  const parts = Object.keys(measured.rounds[0]?.cpu ?? {});
  return Object.fromEntries(
    parts.map((part) => [
      part,
      median(measured.rounds.map(({ cpu }) => (cpu[part] ?? 0) / measured.operations)),
    ]),
  );
};

/** CPU milliseconds of one operation in all, the median of the rounds. */
export const cpuInAll = (measured: Measured): number =>
  median(
    measured.rounds.map(
      ({ cpu }) => Object.values(cpu).reduce((sum, ms) => sum + ms, 0) / measured.operations,
    ),
  );

/** Seconds of one operation, the median of the rounds. */
export const secondsEach = (measured: Measured): number =>
  median(measured.rounds.map(({ seconds }) => seconds / measured.operations));
