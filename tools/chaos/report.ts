import type { Minute } from './minutes.ts';
import type { PlannedFault } from './plan/plan.ts';

/** Numbers of one run, and what was violated. */
export interface Report {
  seed: number;
  minutes: number;
  faults: Record<string, number>;
  /** Of processes, PostgreSQL and nats-server. */
  kills: number;
  killsByApp: Record<string, number>;
  processesStarted: number;
  scenarios: Record<string, number>;
  accepted: number;
  completed: number;
  /** Runs of which three workers died; such a run ends uncharged. */
  endedByDeaths: number;
  marksCompared: number;
  feedPasses: number;
  requests: number;
  repeats: Record<string, number>;
  /** Seconds until the run of a killed worker was claimed again. */
  recovery: Spread;
  /** Seconds from the first try to the answer, of requests that were repeated. */
  outage: Spread;
  /** The run minute by minute; the last row is the time after the faults. */
  log: Minute[];
  violations: string[];
}

interface Spread {
  count: number;
  p50: number;
  p99: number;
  max: number;
}

export const spreadOf = (milliseconds: readonly number[]): Spread => {
  const sorted = milliseconds.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    Math.round((sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0) / 10) / 100;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
};

export const countKinds = (plan: readonly PlannedFault[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { fault } of plan) counts[fault.kind] = (counts[fault.kind] ?? 0) + 1;
  return counts;
};

export const tableOf = (report: Report): string => {
  const spread = ({ count, p50, p99, max }: Spread): string =>
    `${count}: p50 ${p50} s, p99 ${p99} s, max ${max} s`;
  const listed = (counts: Record<string, number>): string =>
    Object.entries(counts)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ');
  const rows: [string, string | number][] = [
    ['seed, minutes', `${report.seed}, ${report.minutes}`],
    ['faults', listed(report.faults)],
    ['kills', report.kills],
    ['of them processes of ours', listed(report.killsByApp)],
    ['processes started', report.processesStarted],
    ['scenarios', listed(report.scenarios)],
    ['runs accepted (202)', report.accepted],
    ['runs completed and charged', report.completed],
    ['runs ended after three dead workers', report.endedByDeaths],
    ['results with undisturbed marks', report.marksCompared],
    ['passes over the feed', report.feedPasses],
    ['requests', report.requests],
    ['requests repeated', listed(report.repeats)],
    ['recovery of runs', spread(report.recovery)],
    ['repeated requests', spread(report.outage)],
    ['violations', report.violations.length],
  ];
  return ['| what | value |', '| --- | --- |', ...rows.map(([what, value]) => `| ${what} | ${value} |`)].join(
    '\n',
  );
};
