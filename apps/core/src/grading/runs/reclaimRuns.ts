import { sql } from 'kysely';
import type { RunLane } from '@evaluation/jobs-contract';
import { LaneUnavailable } from '@evaluation/lanes';
import { gradingError } from '@evaluation/rest-contract/grading-failures';
import type { RunKey } from '../../command/runKey.ts';
import type { Services } from '../../command/services.ts';
import { failAbandonedRun } from './failRun.ts';

/** Expired leases after which the run itself is assumed to crash its workers. */
const MAX_DEAD_LEASES = 3;

/** Queues runs with expired leases again, and fails runs after their deadline or after MAX_DEAD_LEASES. */
export const reclaimRuns = async (services: Services, judgesLeases: boolean): Promise<void> => {
  const over = await services.database.acrossInstitutes(async (tx) => {
    if (judgesLeases) {
      await sql`
        update runs set status = 'queued', released_at = null, lease_until = null, fence = fence + 1,
          dead_leases = dead_leases + 1
        where id in (
          select id from runs where status = 'claimed' and lease_until < clock_timestamp()
          limit 1000 for update skip locked)`.execute(tx);
    }
    // A queued run has a deadline only if it was claimed before, so the second select reads few rows.
    return sql<RunKey & { timed_out: boolean }>`
      (select id as run_id, institute_id, true as timed_out from runs
       where (status = 'released' or status = 'claimed') and deadline_at < clock_timestamp()
       limit 100)
      union all
      (select id as run_id, institute_id, deadline_at < clock_timestamp() from runs
       where status = 'queued' and deadline_at is not null
         and (deadline_at < clock_timestamp() or dead_leases >= ${MAX_DEAD_LEASES})
       limit 100)`.execute(tx);
  });
  for (const run of over.rows) {
    try {
      await failAbandonedRun(services, run, gradingError(run.timed_out ? 'timed_out' : 'broke_down_often'));
    } catch (error) {
      services.log.error(
        { err: error, run_id: run.run_id, institute_id: run.institute_id },
        'failing an abandoned run failed; the next tick tries again',
      );
    }
  }
};

/**
 * Queues released runs again whose message is lost: core died before publishing it, or the lane lost it. A run that
 * waits for a busy worker keeps its message. Lanes are ordered, so a message is lost if the oldest message in the lane
 * is younger than its run. `unclaimedSeconds` covers the time from the release to the publication and the difference
 * between the clocks of the two servers.
 *
 * The lane is read before the update: a message that leaves the lane later belongs to a claim. If the clocks differ by
 * more than `unclaimedSeconds`, a run may be published twice; its second message finds nothing to claim.
 */
export const takeBackLostRuns = async (services: Services, lane: RunLane): Promise<void> => {
  const { unclaimedSeconds } = services.settings.runs;
  const { rows } = await services.database.acrossInstitutes((tx) =>
    sql<{ waits: boolean }>`
      select exists (select from runs where lane = ${lane}::"Lane" and status = 'released'
        and released_at < clock_timestamp() - make_interval(secs => ${unclaimedSeconds})) as waits`.execute(
      tx,
    ),
  );
  if (rows[0]?.waits !== true) return;
  let oldest: Date | null;
  try {
    oldest = await services.lanes.oldest(lane);
  } catch (error) {
    // The state of the messages is unknown; the next tick tries again.
    if (error instanceof LaneUnavailable) return;
    throw error;
  }
  await services.database.acrossInstitutes((tx) =>
    sql`
      update runs set status = 'queued', released_at = null
      where id in (
        select id from runs where lane = ${lane}::"Lane" and status = 'released'
          and released_at < least(clock_timestamp(), ${oldest}::timestamptz) - make_interval(secs => ${unclaimedSeconds})
        limit 1000 for update skip locked)`.execute(tx),
  );
};
