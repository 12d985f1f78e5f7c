import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import * as z from 'zod/v4';
import type { Services } from '../services.ts';

/*
 * Files that took a worker all the time or memory that one file may have. Such a file costs the institute nothing, so its
 * bytes are remembered by their hash, and refused for a day after their last try:
 *
 *   tried, and used up its limit ──▶ remembered ──a day──▶ forgotten
 *                                     └─ uploaded or evaluated again: refused without a try
 *
 * One institute may use up MOST_SECONDS of workers so within a day; from then on, files of it that were never read are
 * refused until the day is over. What is in hand at that moment is finished. Of each file that is the last day's time.
 */

/** Half an hour: six files at the standard limit of five minutes. */
const MOST_SECONDS = 1800;
const DAY = sql`interval '1 day'`;

/** What a worker tells of a file that it had to stop at. */
export const UsedUp = z.object({
  used_up: z.enum(['time', 'memory']),
  /** Of the worker. */
  seconds: z.number().min(0).max(86_400),
});
export type UsedUp = z.infer<typeof UsedUp>;

/** Notes a try that came to nothing. Said twice, it counts twice: a limit that is met early, never late. */
export const rememberFile = async (
  tx: Tx,
  instituteId: string,
  sha256: string,
  { used_up, seconds }: UsedUp,
): Promise<void> => {
  await sql`
    insert into exhausting_files (institute_id, sha256, used_up, seconds, last_at)
    values (${instituteId}, ${sha256}, ${used_up}, ${Math.ceil(seconds)}, clock_timestamp())
    on conflict (institute_id, sha256) do update set
      used_up = excluded.used_up, last_at = excluded.last_at, times = exhausting_files.times + 1,
      seconds = excluded.seconds
        + case when exhausting_files.last_at > clock_timestamp() - ${DAY} then exhausting_files.seconds else 0 end`.execute(
    tx,
  );
};

/** Why a file is not tried now: what is known of it, or that the institute has used up its day. Null when it is tried. */
export const refusalOfFile = async (
  tx: Tx,
  instituteId: string,
  sha256: string,
): Promise<'time' | 'memory' | 'day' | null> => {
  const { rows } = await sql<{ used_up: 'time' | 'memory' | null; seconds: number }>`
    select max(used_up) filter (where sha256 = ${sha256}) as used_up, coalesce(sum(seconds), 0)::int as seconds
    from exhausting_files
    where institute_id = ${instituteId} and last_at > clock_timestamp() - ${DAY}`.execute(tx);
  const known = rows[0];
  if (known === undefined) return null;
  return known.used_up ?? (known.seconds >= MOST_SECONDS ? 'day' : null);
};

const BATCH = 1000;

/** A part of the removal of files: forgets what is older than a day. @returns how many */
export const forgetFiles = async (services: Pick<Services, 'database'>): Promise<number> => {
  const { rows } = await services.database.acrossInstitutes((tx) =>
    sql`
      delete from exhausting_files where (institute_id, sha256) in (
        select institute_id, sha256 from exhausting_files where last_at < clock_timestamp() - ${DAY}
        order by last_at limit ${BATCH} for update skip locked)
      returning 1`.execute(tx),
  );
  return rows.length;
};
