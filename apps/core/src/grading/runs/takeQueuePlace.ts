import { sql, type RawBuilder } from 'kysely';

/**
 * Numbers a run that begins to wait, for its place in the queue (submissions/queuePlaces.ts). Locks the institute's row
 * of the lane until the commit, so it comes right before the credits, which are locked as long.
 */
export const takeQueuePlace = (instituteId: string, runId: string): RawBuilder<unknown> =>
  sql`
    with taken as (
      insert into run_queues as q (institute_id, lane, last_place)
      select r.institute_id, r.lane, 1 from runs r
      where r.institute_id = ${instituteId} and r.id = ${runId} and r.status = 'queued'
      on conflict (institute_id, lane) do update set last_place = q.last_place + 1
      returning last_place)
    update runs set place = taken.last_place from taken
    where runs.institute_id = ${instituteId} and runs.id = ${runId}`;
