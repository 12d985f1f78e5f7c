import { sql, type RawBuilder } from 'kysely';
import type { Tx } from '@evaluation/database';
import type { JobLane } from '@evaluation/jobs-contract';
import { LaneUnavailable } from '@evaluation/lanes';
import type { Services } from '../command/services.ts';
import type { LastServed } from './lastServed.ts';
import type { Slots } from './slots.ts';
import { waitingInstitutes } from './waitingInstitutes.ts';

/*
 * Publishes inspections and drawings to their lanes, in turns over the institutes. Both wait as rows of their own
 * table:
 *
 *   waits ──release──▶ out ──claim──▶ claimed ──▶ done: the row neither waits nor is out
 *     ▲                 │ message lost   │ worker lost, handed back
 *     └─────────────────┴────────────────┘ (keeping its place; given up after several attempts)
 *
 * A job holds a worker's slot until it ends and cannot be overtaken in the lane. Two bounds keep the turns fair:
 *
 *   1. If workers have several slots, one institute has all but one of them, counting claimed and published jobs. If
 *      they have one slot, an institute has one job out, and its next job is released when that one is done.
 *   2. No more jobs wait in the lane than workers have slots. An institute without jobs out comes before institutes
 *      that have some; institutes with equally many take turns.
 *
 * So while one institute floods the lane, a job of another institute starts at once, or with a single slot after the
 * running job. If several institutes flood the lane, it starts within two job lengths.
 *
 * One replica of core decides at a time, under an advisory lock. Decisions are committed before the messages are
 * published. A crash in between leaves a job that is out without a message; `recoverJobs` finds it.
 */

interface Job {
  id: string;
  institute_id: string;
  delivery: number;
}

/** A table whose rows are jobs of a lane. Conditions and assignments use its columns. */
export interface JobQueue {
  lane: JobLane;
  /** Key of the advisory lock, unique among the locks of core. */
  lock: number;
  table: 'uploads' | 'copy_drawings';
  id: string;
  delivery: string;
  /** Column that orders the jobs of one institute. */
  since: string;
  claimedAt: string;
  releasedAt: string;
  /** Conditions as literals, so that they match the partial indexes. */
  waits: RawBuilder<boolean>;
  /** True for waiting jobs that may be released now; false during the pause after a failure. */
  isReady: RawBuilder<boolean>;
  isOut: RawBuilder<boolean>;
  /** Assignments of a release (besides `releasedAt` and `claimedAt`), and of the return to waiting. */
  release: RawBuilder<unknown>;
  wait: RawBuilder<unknown>;
  /** Seconds without a sign of life after which a message or a claim counts as lost. */
  patienceSeconds(services: Services): number;
  publish(services: Services, job: Job): Promise<unknown>;
  /** Statement that ends overdue jobs with too many attempts and returns their ids. */
  giveUp(overdue: RawBuilder<boolean>): RawBuilder<{ id: string }>;
  givenUp: string;
}

/** @returns false if another replica held the lock; that replica may not have seen the change that caused this call */
export const releaseJobs = async (
  services: Services,
  queue: JobQueue,
  slots: Slots,
  served: LastServed,
): Promise<boolean> => {
  // Throws if NATS is unreachable: no job could be published.
  const askedFor = await services.lanes.askedFor(queue.lane);
  const released = await services.database.acrossInstitutes(async (tx) => {
    const { rows } = await sql<{ mine: boolean }>`
      select pg_try_advisory_xact_lock(${queue.lock}) as mine`.execute(tx);
    if (rows[0]?.mine !== true) return null;
    const { rows: counted } = await sql<{ claimed: number }>`
      select count(${sql.ref(queue.claimedAt)})::int as claimed from ${sql.table(queue.table)} where ${queue.isOut}`.execute(
      tx,
    );
    const now = slots.seen(queue.lane, (counted[0]?.claimed ?? 0) + askedFor);
    return (await releaseInTurns(queue, now, served.of(queue.lane)).execute(tx)).rows;
  });
  served.note(queue.lane, released ?? []);
  await Promise.all((released ?? []).map((job) => publish(services, queue, job)));
  return released !== null;
};

const publish = async (services: Services, queue: JobQueue, job: Job): Promise<void> => {
  try {
    await queue.publish(services, job);
  } catch (error) {
    services.log.warn(
      { err: error, lane: queue.lane, id: job.id, institute_id: job.institute_id },
      'publishing a job failed; it waits again',
    );
    // Publishing is idempotent, so a job whose message may be lost waits again at once.
    await services.database.inTenant(job.institute_id, (tx) =>
      sql`update ${sql.table(queue.table)} set ${queue.wait}
          where institute_id = ${job.institute_id} and ${sql.ref(queue.id)} = ${job.id}
            and ${sql.ref(queue.delivery)} = ${job.delivery}
            and ${queue.isOut} and ${sql.ref(queue.claimedAt)} is null`.execute(tx),
    );
  }
};

/**
 * Selects and releases jobs in turns over the institutes. Exported for a test of its plan.
 * @param slots of all workers; with 0, one job is released, which waits in the lane for a worker
 * @param lastServed the institute after which the turns begin while no job is out
 */
export const releaseInTurns = (queue: JobQueue, slots: number, lastServed: string): RawBuilder<Job> => {
  const [table, id, since] = [sql.table(queue.table), sql.ref(queue.id), sql.ref(queue.since)];
  const isReady = sql<boolean>`${queue.waits} and ${queue.isReady}`;
  return sql<Job>`
    with recursive
    out as (
      select institute_id, count(*)::int as jobs, count(${sql.ref(queue.claimedAt)})::int as claimed,
        max(${sql.ref(queue.releasedAt)}) as last
      from ${table} where ${queue.isOut} group by institute_id),
    places as (select greatest(0, ${Math.max(1, slots)}::int - coalesce(sum(jobs - claimed), 0))::int as free from out),
    served as (
      -- A short job may be done before the next release: then no job is out.
      select coalesce((select institute_id from out order by last desc, institute_id desc limit 1), ${lastServed}::uuid)
        as institute_id),
    ${waitingInstitutes({
      table: queue.table,
      isReady,
      after: sql`(select institute_id from served)`,
      busy: 'out',
      places: sql`(select free from places)`,
    })},
    turns as (
      select next.id, w.step,
        coalesce(o.jobs, 0) + row_number() over (partition by w.institute_id order by next.since, next.id) as turn
      from waiting w
      left join out o on o.institute_id = w.institute_id
      cross join lateral (
        select ${id} as id, ${since} as since from ${table} t
        where ${isReady} and t.institute_id = w.institute_id
        order by t.institute_id, ${since}, ${id}
        limit greatest(0, least(${shareOf(slots)}::int - coalesce(o.jobs, 0), (
          -- If the walk ended early, it found an institute without a job out for each free place.
          select case when (select max(idle) from waiting) < free then free else 1 end from places)))) next
      where w.step > 0)
    update ${table} set ${queue.release},
      ${sql.ref(queue.releasedAt)} = clock_timestamp(), ${sql.ref(queue.claimedAt)} = null
    -- Checked again: a row that was ended while this statement waited for it must stay ended.
    where ${queue.waits} and ${id} in (
      select id from turns order by turn, step limit (select free from places))
    returning ${id} as id, institute_id, ${sql.ref(queue.delivery)} as delivery`;
};

export interface Waiting {
  /** Jobs that wait for their release. */
  jobs: number;
  /** Age in seconds of the oldest job that no worker has claimed. */
  oldestSeconds: number;
}

export const waitingNow = async (tx: Tx, queue: JobQueue): Promise<Waiting> => {
  const { rows } = await sql<Waiting>`
    with unclaimed as (
      select ${sql.ref(queue.since)} as since, true as waits from ${sql.table(queue.table)} where ${queue.waits}
      union all
      select coalesce(${sql.ref(queue.since)}, ${sql.ref(queue.releasedAt)}), false from ${sql.table(queue.table)}
      where ${queue.isOut} and ${sql.ref(queue.claimedAt)} is null)
    select count(*) filter (where waits)::int as jobs,
      coalesce(extract(epoch from clock_timestamp() - min(since)), 0)::float8 as "oldestSeconds"
    from unclaimed`.execute(tx);
  return rows[0] ?? { jobs: 0, oldestSeconds: 0 };
};

/** Most jobs that one institute may have out: all slots but one. */
const shareOf = (slots: number): number => Math.max(1, slots - 1);

/**
 * Makes jobs wait again whose message or worker is lost, and ends jobs with too many attempts. Lanes are ordered: an
 * unclaimed job that is newer than the oldest message in the lane may still have its message and stays out. The lane is
 * read before the tables: a message that leaves the lane later belongs to a claim.
 */
export const recoverJobs = async (services: Services, queue: JobQueue): Promise<void> => {
  const patience = queue.patienceSeconds(services);
  const [releasedAt, claimedAt] = [sql.ref(queue.releasedAt), sql.ref(queue.claimedAt)];
  const { rows } = await services.database.acrossInstitutes((tx) =>
    sql<{ some: boolean }>`
      select exists (select from ${sql.table(queue.table)} where ${queue.isOut}
        and coalesce(${claimedAt}, ${releasedAt}) < clock_timestamp() - make_interval(secs => ${patience})) as some`.execute(
      tx,
    ),
  );
  if (rows[0]?.some !== true) return;
  let oldest: Date | null;
  try {
    oldest = await services.lanes.oldest(queue.lane);
  } catch (error) {
    // The state of the messages is unknown; the next tick tries again.
    if (error instanceof LaneUnavailable) return;
    throw error;
  }
  const overdue = sql<boolean>`${queue.isOut}
    and case when ${claimedAt} is null
      then ${releasedAt} < least(clock_timestamp(), ${oldest}::timestamptz) - make_interval(secs => ${patience})
      else ${claimedAt} < clock_timestamp() - make_interval(secs => ${patience}) end`;
  const ended = await services.database.acrossInstitutes(async (tx) => {
    const givenUp = await queue.giveUp(overdue).execute(tx);
    await sql`
      update ${sql.table(queue.table)} set ${queue.wait} where ${sql.ref(queue.id)} in (
        select ${sql.ref(queue.id)} from ${sql.table(queue.table)} where ${overdue}
        limit 1000 for update skip locked)`.execute(tx);
    return givenUp.rows;
  });
  for (const { id } of ended) services.log.warn({ id, lane: queue.lane }, queue.givenUp);
};
