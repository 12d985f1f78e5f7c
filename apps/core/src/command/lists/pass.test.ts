import fc from 'fast-check';
import { expect, test } from 'vitest';
import { endOfPass } from './pass.ts';

/*
 * A client follows the feed rules over a table whose transactions set `updated_at` early and commit late. The clock is
 * simulated in milliseconds.
 */

const OVERLAP_MS = 120_000;
const LONGEST_TRANSACTION_MS = 30_000;

/** One version of a row: stamped by its transaction and visible from its commit on. */
interface Version {
  row: number;
  stamp: number;
  commit: number;
}
interface Position {
  stamp: number;
  row: number;
}

/** Pauses of a client in milliseconds; each list is used in turn and repeated. */
interface Reader {
  limit: number;
  /** Between two pages of a pass. */
  pagePauses: readonly number[];
  /** Between two passes. */
  passPauses: readonly number[];
}

const inTurn = <T>(values: readonly T[], index: number, otherwise: T): T =>
  values[index % values.length] ?? otherwise;

const isAfter = (version: Version, after: Position | null): boolean =>
  after === null || version.stamp > after.stamp || (version.stamp === after.stamp && version.row > after.row);

const visibleAt = (versions: readonly Version[], time: number): Version[] => {
  const newest = new Map<number, Version>();
  for (const version of versions)
    if (version.commit <= time && version.stamp > (newest.get(version.row)?.stamp ?? -1))
      newest.set(version.row, version);
  return [...newest.values()];
};

const pageOf = (rows: Version[], since: number, after: Position | null, end: number): Version[] =>
  rows
    .filter((version) => version.stamp >= since && version.stamp <= end && isAfter(version, after))
    .toSorted((a, b) => a.stamp - b.stamp || a.row - b.row);

const bounded = (startedAt: number): number => Date.parse(endOfPass(new Date(startedAt).toISOString()));
const unbounded = (): number => Number.POSITIVE_INFINITY;

/** Reads passes until one starts after the last commit. @returns the newest stamp that the client has of each row */
const follow = (
  versions: readonly Version[],
  { limit, pagePauses, passPauses }: Reader,
  endOf: (startedAt: number) => number,
): Map<number, number> => {
  const lastCommit = Math.max(...versions.map(({ commit }) => commit));
  const kept = new Map<number, number>();
  let [time, newest, pages] = [0, 0, 0];
  for (let pass = 0; ; pass += 1) {
    const startedAt = time;
    const since = newest - OVERLAP_MS;
    for (let after: Position | null = null; ;) {
      const end = after === null ? Number.POSITIVE_INFINITY : endOf(startedAt);
      const found = pageOf(visibleAt(versions, time), since, after, end);
      const shown = found.slice(0, limit);
      for (const { row, stamp } of shown) {
        if (stamp > (kept.get(row) ?? -1)) kept.set(row, stamp);
        newest = Math.max(newest, stamp);
      }
      const last = shown.at(-1);
      if (found.length <= limit || last === undefined) break;
      after = last;
      pages += 1;
      time += inTurn(pagePauses, pages, 0);
    }
    if (startedAt > lastCommit) return kept;
    time += inTurn(passPauses, pass, 1000);
  }
};

const truth = (versions: readonly Version[]): Map<number, number> =>
  new Map(visibleAt(versions, Number.POSITIVE_INFINITY).map(({ row, stamp }) => [row, stamp]));

const sorted = (kept: Map<number, number>) => [...kept].toSorted(([a], [b]) => a - b);

/** Generates transactions of random lengths. A transaction waits for an earlier one that changes the same row. */
const history = fc
  .array(
    fc.record({
      row: fc.nat(5),
      gap: fc.nat(25_000),
      held: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: LONGEST_TRANSACTION_MS })),
    }),
    { minLength: 1, maxLength: 60 },
  )
  .map((transactions) => {
    const free = new Map<number, number>();
    let begun = 0;
    return transactions.map(({ row, gap, held }): Version => {
      begun += gap;
      const stamp = Math.max(begun, (free.get(row) ?? -1) + 1);
      free.set(row, stamp + held);
      return { row, stamp, commit: stamp + held };
    });
  });
const reader = fc.record({
  limit: fc.integer({ min: 1, max: 4 }),
  pagePauses: fc.array(fc.nat(60_000), { minLength: 1, maxLength: 5 }),
  passPauses: fc.array(fc.integer({ min: 1, max: 90_000 }), { minLength: 1, maxLength: 3 }),
});

test('a client that follows the feed rules gets the last change of every row', () => {
  fc.assert(
    fc.property(history, reader, (versions, habits) => {
      expect(sorted(follow(versions, habits, bounded))).toEqual(sorted(truth(versions)));
    }),
    { numRuns: 1500 },
  );
});

test('without the end of a pass a late commit would be missed', () => {
  // Two rows change each second and the client reads one row a second, so a pass never reaches the newest row.
  const busy = Array.from({ length: 300 }, (_, index): Version => {
    const at = 1000 + index * 500;
    return { row: 1 + index, stamp: at, commit: at };
  });
  const late: Version = { row: 0, stamp: 5000, commit: 20_000 };
  const habits: Reader = { limit: 1, pagePauses: [600], passPauses: [1000] };
  const versions = [...busy, late];
  expect(follow(versions, habits, unbounded).has(0)).toBe(false);
  expect(sorted(follow(versions, habits, bounded))).toEqual(sorted(truth(versions)));
});
