import { sql, type RawBuilder } from 'kysely';

const LARGEST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/**
 * A recursive table expression `waiting (institute_id, step, idle)`: institutes with a row that may be released now,
 * in the order of their turns.
 *
 * - `step` numbers the institutes from 1. The row with step 0 only starts the recursion: it has the id in `after`.
 * - `idle` is the number of institutes up to this row that are not in `busy`.
 * - The recursion stops when `idle` has reached `places`: each free place then has an institute without a job in
 *   flight, and such institutes are served first.
 *
 * Each step finds the next institute in an index that begins with `institute_id`. So the cost depends on the numbers of
 * places and busy institutes, and not on how many institutes or rows wait (decision 012).
 * @param from.after the institute that was served last: turns begin behind it in the order of ids, and end with it
 * @param from.busy a table expression of the institutes with a job in flight
 * @param from.places the number of free places; with 0 no institute is looked for
 */
export const waitingInstitutes = (from: {
  table: string;
  isReady: RawBuilder<boolean>;
  after: RawBuilder<string>;
  busy: string;
  places: RawBuilder<number>;
}): RawBuilder<unknown> => sql`
  waiting as (
    select ${from.after} as institute_id, false as is_past_end, 0 as step, 0 as idle
    union all
    select next.institute_id, next.is_past_end, w.step + 1,
      w.idle + case when next.institute_id in (select institute_id from ${sql.table(from.busy)}) then 0 else 1 end
    from waiting w
    cross join lateral (
      (select t.institute_id, w.is_past_end from ${sql.table(from.table)} t
       where ${from.isReady} and t.institute_id > w.institute_id
         and t.institute_id <= case when w.is_past_end then ${from.after} else ${LARGEST_UUID}::uuid end
       order by t.institute_id limit 1)
      union all
      (select t.institute_id, true from ${sql.table(from.table)} t
       where not w.is_past_end and ${from.isReady} and t.institute_id <= ${from.after}
       order by t.institute_id limit 1)
      order by is_past_end limit 1) next
    where w.idle < ${from.places})`;
