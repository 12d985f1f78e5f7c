import { sql, type RawBuilder } from 'kysely';
import type { Database } from '@evaluation/database';
import { RUN_LANES, type RunLane } from '@evaluation/jobs-contract';
import type { Logger } from '@evaluation/platform/telemetry';
import { startRounds } from './rounds.ts';

/*
 * Measures how fast each lane works, for estimates (docs/architecture.md#times). All institutes share a lane, but a
 * tenant's transaction sees only its own runs; so each replica of core measures across institutes periodically. State:
 * memory of the process. If the database is down, the last measurement is used; before the first one there is none.
 */

const MEASURE_EVERY_MS = 15_000;

export interface Pace {
  /** Seconds in which the lane was busy for each completed run; below the duration of a run if runs overlap. */
  busySecondsPerRun: number;
  /** Seconds from a run's first claim to its completion. */
  averageSeconds: number;
  waitingInstitutes: number;
}

export interface LanePace {
  /** Null until a completed run of the lane has been measured. */
  of(lane: RunLane): Pace | null;
  close(): Promise<void>;
}

export const startLanePace = (
  { database, log }: { database: Database; log: Logger },
  everyMs = MEASURE_EVERY_MS,
): LanePace => {
  const paces = new Map<RunLane, Pace | null>();
  let isFirst = true;
  const rounds = startRounds(log, {
    what: 'measuring the lanes',
    pauseMs: () => (isFirst ? 0 : everyMs),
    round: async () => {
      isFirst = false;
      for (const lane of RUN_LANES) {
        const { rows } = await database.acrossInstitutes((tx) => measureLane(lane).execute(tx));
        paces.set(lane, paceOf(rows[0]));
      }
    },
  });
  return { of: (lane) => paces.get(lane) ?? null, close: rounds.close };
};

interface Measured {
  runs: number;
  busy_seconds: number | null;
  average_seconds: number | null;
  waiting_institutes: number;
}

const paceOf = (measured: Measured | undefined): Pace | null =>
  measured === undefined || measured.busy_seconds === null || measured.average_seconds === null
    ? null
    : {
        busySecondsPerRun: measured.busy_seconds / measured.runs,
        averageSeconds: measured.average_seconds,
        waitingInstitutes: measured.waiting_institutes,
      };

/**
 * Exported for a test of its plan. Runs graded without AI were never claimed and are left out. Overlapping runs are
 * merged into one stretch, and time without runs does not count.
 */
export const measureLane = (lane: RunLane): RawBuilder<Measured> => sql<Measured>`
  with recursive
  last as (
    select r.claimed_at, greatest(r.claimed_at, r.finished_at) as finished_at from runs r
    where r.lane = ${sql.lit(lane)} and r.status = 'completed' and r.claimed_at is not null
    order by r.finished_at desc
    limit 100),
  stretches as (
    select unnest(range_agg(tstzrange(claimed_at, finished_at))) as stretch from last),
  -- Steps from institute to institute over the index instead of reading every waiting run.
  waiting as (
    (select institute_id from runs where lane = ${sql.lit(lane)} and status = 'queued' order by institute_id limit 1)
    union all
    select (select r.institute_id from runs r
            where r.lane = ${sql.lit(lane)} and r.status = 'queued' and r.institute_id > w.institute_id
            order by r.institute_id limit 1)
    from waiting w where w.institute_id is not null)
  select count(*)::int as runs,
    -- If every run took no time, there is no stretch, and the sum is 0.
    case when count(*) > 0 then (
      select coalesce(sum(extract(epoch from upper(stretch) - lower(stretch))), 0) from stretches) end::float8 as busy_seconds,
    avg(extract(epoch from finished_at - claimed_at))::float8 as average_seconds,
    (select count(institute_id)::int from waiting) as waiting_institutes
  from last`;
