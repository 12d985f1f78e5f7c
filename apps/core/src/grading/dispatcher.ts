import { sql } from 'kysely';
import { messageId } from '@evaluation/lanes';
import { savePendingRubrics } from '../rubrics/savePending.ts';
import type { Services } from '../services.ts';
import { unreachable } from '../unreachable.ts';
import { failAbandonedRun } from './finishRun.ts';
import { redeliverInspections } from './inspections.ts';

/*
 * Releases waiting runs into the lanes (design 3.7, 3.8). Runs wait as rows in PostgreSQL:
 *
 *   queued ──release──▶ released ──claim──▶ claimed ──▶ completed | failed | cancelled
 *      ▲                   │ unclaimed too long  │ lease expired
 *      └───────────────────┴─────────────────────┘ (back to queued, keeping its place)
 *
 * Any core replica ticks; the lock lets one at a time decide. What is decided is committed before it is published, so
 * a process that dies in between leaves released runs without a message: they are released again after a while. The
 * lanes hold a small window of each institute's runs, taken in turn, so one institute's thousands never make
 * another's one wait.
 */

const LANES = ['copy', 'typed'] as const;
type Lane = (typeof LANES)[number];

/** A run that outlived this many workers is what kills them. */
const MAX_DEAD_LEASES = 3;

interface ReleasedRun {
  id: string;
  institute_id: string;
  delivery: number;
}

export interface Dispatcher {
  wake(): void;
  close(): Promise<void>;
}

export const startDispatcher = (services: Services, tickMs: number): Dispatcher => {
  // Leases are not judged before workers had a lease's time to reach core: while core or its database was away, it was
  // not the workers that were gone.
  const leaseMs = services.settings.runs.leaseSeconds * 1000;
  let steadySince = Date.now();
  let closed = false;
  let awake = false;
  let rouse: () => void = () => {};
  const ticking = (async () => {
    while (!closed) {
      awake = false;
      const { databaseWasThere } = await tick(services, Date.now() - steadySince >= leaseMs);
      if (!databaseWasThere) steadySince = Date.now();
      if (!awake && !closed) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, tickMs);
          rouse = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    }
  })();
  const wake = () => {
    awake = true;
    rouse();
  };
  return {
    wake,
    close: async () => {
      closed = true;
      wake();
      await ticking;
    },
  };
};

export const tick = async (
  services: Services,
  judgesLeases = true,
): Promise<{ databaseWasThere: boolean }> => {
  // Each part by itself: what breaks one must not stop the others, nor one lane the other.
  const parts = [
    () => reclaim(services, judgesLeases),
    ...LANES.map((lane) => () => dispatch(services, lane)),
    () => redeliverInspections(services),
    () => savePendingRubrics(services),
  ];
  let databaseWasThere = true;
  for (const part of parts) {
    try {
      await part();
    } catch (error) {
      if (unreachable(error) === 'PostgreSQL') databaseWasThere = false;
      services.log.warn({ err: error }, 'a part of a dispatcher tick broke; the next one tries again');
    }
  }
  return { databaseWasThere };
};

/** Publishing is safe to repeat and safe to lose: what is not claimed is released again. */
const dispatch = async (services: Services, lane: Lane): Promise<void> => {
  const released = await release(services, lane);
  await Promise.all(released.map((run) => publish(services, lane, run)));
};

const publish = async (services: Services, lane: Lane, run: ReleasedRun): Promise<void> => {
  try {
    await services.lanes.publish(
      lane,
      { version: 1, run_id: run.id, institute_id: run.institute_id, delivery: run.delivery },
      messageId(run.id, run.delivery),
    );
  } catch (error) {
    services.log.warn(
      { err: error, run_id: run.id },
      'a run could not be published; it is released again later',
    );
  }
};

/** Takes runs back whose worker or message is gone, and ends those that are past their deadline or kill workers. */
const reclaim = async (services: Services, judgesLeases: boolean): Promise<void> => {
  const { unclaimedSeconds } = services.settings.runs;
  const over = await services.database.acrossInstitutes(async (tx) => {
    await sql`
      update runs set status = 'queued', released_at = null
      where id in (
        select id from runs where status = 'released'
          and released_at < clock_timestamp() - make_interval(secs => ${unclaimedSeconds})
        limit 1000 for update skip locked)`.execute(tx);
    if (judgesLeases) {
      await sql`
        update runs set status = 'queued', released_at = null, lease_until = null, fence = fence + 1,
          dead_leases = dead_leases + 1
        where id in (
          select id from runs where status = 'claimed' and lease_until < clock_timestamp()
          limit 1000 for update skip locked)`.execute(tx);
    }
    // A run that waits has a deadline only if it was claimed before, so the second half looks at few.
    return sql<{ id: string; institute_id: string; timed_out: boolean }>`
      (select id, institute_id, true as timed_out from runs
       where (status = 'released' or status = 'claimed') and deadline_at < clock_timestamp()
       limit 100)
      union all
      (select id, institute_id, deadline_at < clock_timestamp() from runs
       where status = 'queued' and deadline_at is not null
         and (deadline_at < clock_timestamp() or dead_leases >= ${MAX_DEAD_LEASES})
       limit 100)`.execute(tx);
  });
  for (const run of over.rows) {
    try {
      await failAbandonedRun(services, run, run.timed_out ? TIMED_OUT : BROKE_DOWN);
    } catch (error) {
      services.log.error({ err: error, run_id: run.id }, 'a run could not be ended');
    }
  }
};

const TIMED_OUT = { code: 'timed_out', message: 'Grading took too long. Evaluate the submission again.' };
const BROKE_DOWN = {
  code: 'grading_failed',
  message: 'Grading broke down several times. Evaluate the submission again.',
};

/** The lock's key: any fixed number that nothing else uses. */
const DISPATCH_LOCK = 7_301_120;

/** Marks runs as released, in turns over the institutes, up to the windows. @returns them, to be published. */
const release = async (services: Services, lane: Lane): Promise<ReleasedRun[]> => {
  const { rows } = await services.database.acrossInstitutes(async (tx) => {
    const locked = await sql<{
      mine: boolean;
    }>`select pg_try_advisory_xact_lock(${DISPATCH_LOCK}) as mine`.execute(tx);
    if (locked.rows[0]?.mine !== true) return { rows: [] };
    return releaseInTurns(lane, services.settings.runs).execute(tx);
  });
  return rows;
};

/** The statement by itself, so that a test can look at its plan. */
export const releaseInTurns = (
  lane: Lane,
  { instituteWindow, laneWindow }: { instituteWindow: number; laneWindow: number },
) => sql<ReleasedRun>`
      with recursive
      in_flight as (
        select institute_id, count(*)::int as runs from runs
        where lane = ${lane}::"Lane" and (status = 'released' or status = 'claimed')
        group by institute_id),
      -- Steps from institute to institute over the index instead of reading every waiting run.
      waiting as (
        (select institute_id from runs where lane = ${lane}::"Lane" and status = 'queued' order by institute_id limit 1)
        union all
        select (select r.institute_id from runs r
                where r.lane = ${lane}::"Lane" and r.status = 'queued' and r.institute_id > w.institute_id
                order by r.institute_id limit 1)
        from waiting w where w.institute_id is not null),
      turns as (
        select next.id, next.queued_at,
          coalesce(f.runs, 0) + row_number() over (partition by w.institute_id order by next.queued_at, next.id) as turn
        from waiting w
        left join in_flight f on f.institute_id = w.institute_id
        cross join lateral (
          select r.id, r.queued_at from runs r
          where r.lane = ${lane}::"Lane" and r.status = 'queued' and r.institute_id = w.institute_id
          order by r.institute_id, r.queued_at, r.id
          limit greatest(0, ${instituteWindow}::int - coalesce(f.runs, 0))) next
        where w.institute_id is not null)
      update runs set status = 'released', released_at = clock_timestamp(), delivery = delivery + 1
      -- Asked again: a row that was ended while this statement waited for it must stay ended.
      where status = 'queued' and id in (
        select id from turns order by turn, queued_at, id
        limit greatest(0, ${laneWindow}::int - (select coalesce(sum(runs), 0)::int from in_flight)))
      returning id, institute_id, delivery`;
