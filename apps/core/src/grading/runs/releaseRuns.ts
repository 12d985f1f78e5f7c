import { sql } from 'kysely';
import { RUN_LANES, runLanes, type RunLane } from '@evaluation/jobs-contract';
import { reusePlans, send } from '@evaluation/database';
import { messageId } from '@evaluation/lanes';
import type { LastServed } from '../../files/lastServed.ts';
import { waitingInstitutes } from '../../files/waitingInstitutes.ts';
import type { Services } from '../../command/services.ts';

/*
 * Publishes queued runs to their lane, in turns over the institutes (docs/architecture.md#dispatch, decision 012). A
 * lane is ordered and runs in it cannot be overtaken, so it holds no more unclaimed runs than there are workers
 * (claimed runs plus open requests for runs). Each worker finds its next run in the lane, and a new institute's first
 * run starts within two job lengths. A lane without workers holds one run, for the first worker that starts.
 *
 * Decisions are committed before the messages are published. A crash in between leaves released runs without a message:
 * see `takeBackLostRuns`.
 */

/** Largest number of released and claimed runs: of one institute in a lane, and of a lane. */
interface Windows {
  institute: number;
  lane: number;
}

/** Setting of a transaction: `true` if it holds the lane's lock. */
export const IS_OURS = 'app.releases';

/**
 * Runs of a disabled institute wait, and count as waiting for no worker. They are read and left out in each decision.
 */
export const OF_ENABLED_INSTITUTES = sql<boolean>`institute_id <> all (array(select id from institutes where not api_enabled))`;

/** Pause of a run after a failed claim, so that other runs go first: an idle lane has only one place. */
const REST_SECONDS = 5;

interface ReleasedRun {
  id: string;
  institute_id: string;
  delivery: number;
}

interface Released {
  /** False if another replica holds the lane's lock. */
  decided: boolean;
  /** False if no run waits in the lane. */
  isWaiting: boolean;
}

/** Releases waiting runs of a lane, as many as workers ask for. @throws LaneUnavailable if NATS is unreachable */
export const releaseRuns = async (
  services: Services,
  lane: RunLane,
  served: LastServed,
): Promise<Released> => {
  // Throws if NATS is unreachable: no run could be published.
  const askedFor = await services.lanes.askedFor(lane);
  const released = await services.database.acrossInstitutes(async (tx) => {
    // The prepared plan depends on no value; PostgreSQL would make a new one for each decision.
    await reusePlans(tx);
    // The second statement begins after the lock, and releases nothing without it.
    const [[locked], runs, waiting] = await send(
      tx,
      sql<{ mine: string }>`select set_config(${IS_OURS},
        pg_try_advisory_xact_lock(${runLanes[lane].releaseLock})::text, true) as mine`,
      releaseInTurns(lane, services.settings.runs.windows[lane], askedFor, served.of(lane)),
      sql`select from runs where lane = ${sql.lit(lane)} and status = 'queued' limit 1`,
    );
    return locked?.mine === 'true' ? { runs, isWaiting: waiting.length > 0 } : null;
  });
  if (released === null) return { decided: false, isWaiting: true };
  served.note(lane, released.runs);
  const published = await Promise.all(released.runs.map((run) => publish(services, lane, run)));
  const lost = released.runs.filter((_, index) => published[index] === false);
  if (lost.length > 0) await putBack(services, lost);
  return { decided: true, isWaiting: released.isWaiting || lost.length > 0 };
};

/** @returns false if the message may be lost */
const publish = async (services: Services, lane: RunLane, run: ReleasedRun): Promise<boolean> => {
  try {
    await services.lanes.publish(
      lane,
      { version: 1, run_id: run.id, institute_id: run.institute_id, delivery: run.delivery },
      messageId(run.id, run.delivery),
    );
    return true;
  } catch (error) {
    services.log.warn(
      { err: error, run_id: run.id, institute_id: run.institute_id },
      'publishing a run failed; it waits again',
    );
    return false;
  }
};

/** Publishing is idempotent, so runs whose message may be lost are queued again at once. */
const putBack = async (services: Services, runs: readonly ReleasedRun[]): Promise<void> => {
  await services.database.acrossInstitutes((tx) =>
    sql`update runs r set status = 'queued', released_at = null
        from unnest(${runs.map(({ id }) => id)}::uuid[], ${runs.map(({ delivery }) => delivery)}::int[]) as lost (id, delivery)
        where r.id = lost.id and r.delivery = lost.delivery and r.status = 'released'`.execute(tx),
  );
};

/**
 * Queues a run again after a failed claim and lets it rest for REST_SECONDS.
 * @param counts true if the run itself may cause the error: its deadline then starts, so that it ends
 */
export const restRun = async (
  services: Services,
  run: { run_id: string; institute_id: string },
  counts: boolean,
): Promise<void> => {
  const { deadlineSeconds } = services.settings.runs;
  const ofItsLane = RUN_LANES.map((lane) => sql`when ${sql.lit(lane)} then ${deadlineSeconds[lane]}::int`);
  const { rows } = await services.database.inTenant(run.institute_id, (tx) =>
    // For a queued run, `released_at` is the time of the failed claim.
    sql<{ lane: RunLane }>`update runs set status = 'queued', released_at = clock_timestamp(),
          deadline_at = case when ${counts} then coalesce(deadline_at, clock_timestamp()
            + make_interval(secs => case lane ${sql.join(ofItsLane, sql` `)} end))
            else deadline_at end
        where institute_id = ${run.institute_id} and id = ${run.run_id} and status = 'released'
        returning lane`.execute(tx),
  );
  for (const { lane } of rows) services.wakeDispatcher(lane);
};

/**
 * Institutes with the fewest runs in flight come first, and institutes with equally many take turns; runs of a disabled
 * institute wait. Reads all institutes with runs in flight and, of the others, at most as many as places are free.
 * Nothing is released in a transaction without the lane's lock. Exported for a test of its plan.
 * @param askedFor open requests of workers, besides their claimed runs
 * @param lastServed the institute after which the turns begin while no run is in flight
 */
export const releaseInTurns = (lane: RunLane, windows: Windows, askedFor: number, lastServed: string) => {
  // The lane is a literal, so that the prepared plan uses the partial index of the lane.
  const isReady = sql<boolean>`lane = ${sql.lit(lane)} and status = 'queued'
    and (released_at is null or released_at < clock_timestamp() - make_interval(secs => ${REST_SECONDS}))
    and ${OF_ENABLED_INSTITUTES}`;
  return sql<ReleasedRun>`
      with recursive
      in_flight as (
        select institute_id, count(*)::int as runs, (count(*) filter (where status = 'claimed'))::int as claimed,
          max(released_at) as last
        from runs
        where lane = ${sql.lit(lane)} and (status = 'released' or status = 'claimed')
        group by institute_id),
      lane_now as (
        select coalesce(sum(runs), 0)::int as runs, coalesce(sum(claimed), 0)::int as claimed from in_flight),
      places as (
        select case when current_setting(${IS_OURS}, true) = 'true' then
            greatest(0, least(${windows.lane}::int - runs, greatest(1, claimed + ${askedFor}::int) - (runs - claimed)))
          else 0 end as free
        from lane_now),
      served as (
        -- A short run may be over before the next release: then no run is in flight.
        select coalesce((select institute_id from in_flight order by last desc nulls last limit 1), ${lastServed}::uuid)
          as institute_id),
      ${waitingInstitutes({
        table: 'runs',
        isReady,
        after: sql`(select institute_id from served)`,
        busy: 'in_flight',
        places: sql`(select free from places)`,
      })},
      turns as (
        select next.id, w.step,
          coalesce(f.runs, 0) + row_number() over (partition by w.institute_id order by next.queued_at, next.id) as turn
        from waiting w
        left join in_flight f on f.institute_id = w.institute_id
        cross join lateral (
          select r.id, r.queued_at from runs r
          where ${isReady} and r.institute_id = w.institute_id
          order by r.institute_id, r.queued_at, r.id
          limit greatest(0, least(${windows.institute}::int - coalesce(f.runs, 0), (
            -- One run of each institute is enough if there is an idle institute for each free place.
            select case when (select max(idle) from waiting) < free then free else 1 end from places)))) next
        where w.step > 0)
      update runs set status = 'released', released_at = clock_timestamp(), delivery = delivery + 1
      -- Checked again: a row that was ended while this statement waited for it must stay ended.
      where status = 'queued' and id in (
        select id from turns order by turn, step limit (select free from places))
      returning id, institute_id, delivery`;
};
