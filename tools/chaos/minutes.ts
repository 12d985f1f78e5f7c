import { setTimeout as wait } from 'node:timers/promises';

/** Totals since the start of the run. */
interface Totals {
  kills: number;
  requests: number;
  accepted: number;
  completed: number;
}

/** One minute of the run. */
export interface Minute extends Totals {
  minute: number;
  /** Runs of workers that were killed in this minute. */
  recovered: number;
  /** Seconds until the slowest of these runs was claimed again. */
  slowestRecovery: number;
}

interface Recovery {
  /** Milliseconds from the start of the run to the kill. */
  killedAt: number;
  ms: number;
}

const MINUTE_MS = 60_000;

/** Reads the totals at the end of each minute, and when the run is finished. */
export const watchMinutes = (read: () => Promise<Totals>) => {
  const over = new AbortController();
  const seen: Totals[] = [];
  const watching = (async () => {
    const began = performance.now();
    for (let minute = 1; ; minute += 1) {
      const due = began + minute * MINUTE_MS - performance.now();
      await wait(Math.max(0, due), undefined, { signal: over.signal }).catch(() => {});
      if (over.signal.aborted) return;
      seen.push(await read());
    }
  })();
  watching.catch(() => {});
  return {
    finish: async (): Promise<Totals[]> => {
      over.abort();
      await watching;
      return [...seen, await read()];
    },
  };
};

export const minutesOf = (totals: readonly Totals[], recoveries: readonly Recovery[]): Minute[] => {
  const byMinute = Map.groupBy(recoveries, ({ killedAt }) =>
    Math.min(totals.length - 1, Math.floor(killedAt / MINUTE_MS)),
  );
  return totals.map((now, index) => {
    const before = totals[index - 1] ?? { kills: 0, requests: 0, accepted: 0, completed: 0 };
    const ofMinute = byMinute.get(index) ?? [];
    return {
      minute: index + 1,
      kills: now.kills - before.kills,
      requests: now.requests - before.requests,
      accepted: now.accepted - before.accepted,
      completed: now.completed - before.completed,
      recovered: ofMinute.length,
      slowestRecovery: Math.round(Math.max(0, ...ofMinute.map(({ ms }) => ms)) / 100) / 10,
    };
  });
};

export const logOf = (minutes: readonly Minute[]): string =>
  [
    '| minute | kills | requests | accepted | completed | runs of killed workers | slowest recovery |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...minutes.map(
      (row) =>
        `| ${row.minute} | ${row.kills} | ${row.requests} | ${row.accepted} | ${row.completed} | ${row.recovered} | ${row.slowestRecovery} s |`,
    ),
  ].join('\n');
