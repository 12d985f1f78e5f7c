import { sql, type RawBuilder } from 'kysely';
import { send, write, type Tx } from '@evaluation/database';
import { RUN_LANES, type RunLane } from '@evaluation/jobs-contract';

/*
 * Place of a waiting run: the number of the institute's runs before it in its lane. The cost is the same at any backlog
 * (decision 062):
 *
 *   1. The first COUNTED runs of the line are read along an index and numbered. Their places are exact.
 *   2. A run behind them adds the difference of two numbers: its own `runs.place` less the `place` of the last counted
 *      run. Runs between the two that were cancelled are still counted, until the run is among the first COUNTED.
 *
 * A run gets its `place` at the end of its transaction (grading/runs/takeQueuePlace.ts). A run without one is taken as
 * the newest.
 */

/** Runs at the head of the line whose places are counted one by one. Reading them takes about 0.2 ms. */
export const COUNTED = 200;

/** @returns the number of runs ahead by run id; 0 is next */
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
    const [rows] = await send(tx, placesInLane(instituteId, lane, runIds));
    for (const { id, ahead } of rows) places.set(id, ahead);
  }
  return places;
};

/**
 * Disables plans that scan whole tables, for the rest of the transaction. Under row-level security the planner does not
 * know how few runs are released and would read all finished runs instead of the partial index. Later statements of the
 * transaction read by keys.
 */
export const stepAlongIndexes = (tx: Tx): Promise<void> =>
  write(
    tx,
    sql`select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)`,
  );

/**
 * Counts the runs ahead of each run in `runIds`. Exported for a test of its plan. Released runs count too. The lane
 * is a literal, because under row-level security only a literal enum matches a partial index.
 */
export const placesInLane = (
  instituteId: string,
  lane: RunLane,
  runIds: readonly string[],
): RawBuilder<{ id: string; ahead: number }> => sql<{ id: string; ahead: number }>`
  with waiting as (
    select r.id, r.queued_at from runs r
    where r.institute_id = ${instituteId} and r.lane = ${sql.lit(lane)} and r.status = 'queued'
    order by r.queued_at, r.id
    limit ${sql.lit(COUNTED)}),
  released as (
    select r.id, r.queued_at from runs r
    where r.institute_id = ${instituteId} and r.lane = ${sql.lit(lane)} and r.status = 'released'),
  head as materialized (
    select id, queued_at, row_number() over (order by queued_at, id) - 1 as ahead
    from (select * from waiting union all select * from released) first_in_line
    order by queued_at, id
    limit ${sql.lit(COUNTED)}),
  last_counted as materialized (
    select head.queued_at, head.id, coalesce(r.place, 0) as place
    from head join runs r on r.institute_id = ${instituteId} and r.id = head.id
    where head.ahead = ${COUNTED - 1}),
  asked as (
    select r.id, r.queued_at, coalesce(r.place, 1 + coalesce((
        select q.last_place from run_queues q
        where q.institute_id = ${instituteId} and q.lane = ${sql.lit(lane)}), 0)) as place
    from runs r where r.institute_id = ${instituteId} and r.id = any(${runIds}::uuid[]))
  select asked.id,
    case
      when head.id is not null then head.ahead
      when (asked.queued_at, asked.id) > (last_counted.queued_at, last_counted.id)
        then least(${COUNTED - 1} + greatest(1, asked.place - last_counted.place), 2147483647)
      -- Claimed since the caller read its submission.
      else 0
    end::int as ahead
  from asked
  left join head on head.id = asked.id
  left join last_counted on true`;
