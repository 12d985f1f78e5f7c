import { sql, type RawBuilder } from 'kysely';
import type { Tx } from '@evaluation/database';
import * as z from 'zod/v4';

/*
 * Worker time that an institute spent on files which exhausted the time or memory that a worker may spend on one file.
 * The institute does not pay for such a file. After MOST_SECONDS in a day (UTC), files of the institute that were never
 * read are refused until the day is over; inspections in progress are finished.
 *
 * State: one row for each institute that had such a file, with the last day of one.
 */

/** Half an hour: six files at the standard limit of five minutes. */
const MOST_SECONDS = 1800;
const TODAY = sql`(clock_timestamp() at time zone 'UTC')::date`;

/** Worker time in seconds. */
export const ExhaustedSeconds = z.number().min(0).max(86_400);

/** Adds a failed try. A repeated call counts twice, so the limit may be reached early but never late. */
export const addExhaustedTime = async (tx: Tx, instituteId: string, seconds: number): Promise<void> => {
  await sql`
    insert into exhausted_time (institute_id, day, seconds) values (${instituteId}, ${TODAY}, ${Math.ceil(seconds)})
    on conflict (institute_id) do update set
      day = excluded.day,
      seconds = excluded.seconds
        + case when exhausted_time.day = excluded.day then exhausted_time.seconds else 0 end`.execute(tx);
};

/** SQL condition: the institute has used up its time of today. */
export const isDayUsedUp = (instituteId: RawBuilder<unknown>) => sql<boolean>`exists (
  select from exhausted_time x
  where x.institute_id = ${instituteId} and x.day = ${TODAY} and x.seconds >= ${MOST_SECONDS})`;
