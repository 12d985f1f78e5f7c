import { sql, type RawBuilder } from 'kysely';
import type { Tx } from '@evaluation/database';
import { RUN_LANES, type RunLane } from '@evaluation/jobs-contract';

/** Counts the institute's runs that wait before each given run in its lane; 0 is next. @returns the counts by run id */
export const queuePlaces = async (
  tx: Tx,
  instituteId: string,
  waiting: readonly { lane: RunLane; current_run_id: string }[],
): Promise<Map<string, number>> => {
  const places = new Map<string, number>();
  if (waiting.length > 0) await stepAlongIndexes(tx);
  for (const lane of RUN_LANES) {
    const runIds = waiting.flatMap((row) => (row.lane === lane ? [row.current_run_id] : []));
    if (runIds.length === 0) continue;
    const { rows } = await placesInLane(instituteId, lane, runIds).execute(tx);
    for (const { id, ahead } of rows) places.set(id, ahead);
  }
  return places;
};

/**
 * Disables plans that scan whole tables, for the rest of the transaction. Under row-level security the planner does not
 * know how few runs are released and would read all finished runs instead of the partial index. Later statements of the
 * transaction read by keys.
 */
export const stepAlongIndexes = (tx: Tx): Promise<unknown> =>
  sql`select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)`.execute(
    tx,
  );

/**
 * Counts the runs ahead of each run in `runIds`. Exported for a test of its plan. The runs are sorted; each is counted
 * from its predecessor, and the counts are added up, so that a page walks the index of waiting runs once. Released runs
 * count too. The lane is a literal, because under row-level security only a literal enum matches a partial index.
 */
export const placesInLane = (
  instituteId: string,
  lane: RunLane,
  runIds: readonly string[],
): RawBuilder<{ id: string; ahead: number }> => sql<{ id: string; ahead: number }>`
  with asked as (
    select r.id, r.queued_at, lag(r.queued_at, 1, '-infinity') over in_line as after_queued_at,
      lag(r.id, 1, r.id) over in_line as after_id
    from runs r
    where r.institute_id = ${instituteId} and r.id = any(${runIds}::uuid[])
    window in_line as (order by r.queued_at, r.id)),
  line as (
    select asked.queued_at, asked.id, between_them.runs, true as is_asked
    from asked
    cross join lateral (
      -- From the run before on, which waits itself, up to this one, which does not count.
      select count(*) as runs from runs r
      where r.institute_id = ${instituteId} and r.lane = ${sql.lit(lane)} and r.status = 'queued'
        and (r.queued_at, r.id) >= (asked.after_queued_at, asked.after_id)
        and (r.queued_at, r.id) < (asked.queued_at, asked.id)) between_them
    union all
    select r.queued_at, r.id, 1, false from runs r
    where r.institute_id = ${instituteId} and r.lane = ${sql.lit(lane)} and r.status = 'released'),
  counted as (
    -- One that is asked for and out itself stands before itself: it is not ahead of itself.
    select id, is_asked, sum(runs) over (order by queued_at, id, is_asked desc rows unbounded preceding) as ahead
    from line)
  select id, ahead::int from counted where is_asked`;
