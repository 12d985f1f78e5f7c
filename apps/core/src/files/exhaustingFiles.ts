import { sql, type RawBuilder } from 'kysely';
import type { Tx } from '@evaluation/database';
import * as z from 'zod/v4';
import type { Services } from '../command/services.ts';

/*
 * Files that exhausted the time or memory that a worker may spend on one file. The institute does not pay for such a
 * file, so its hash is stored, and the file is refused for a day after its last try:
 *
 *   tried, and exhausted its limit ──▶ stored ──a day──▶ deleted
 *                                        └─ uploaded or graded again: refused without a try
 *
 * Such files of one institute may take MOST_SECONDS of worker time in a day. After that, files of the institute that
 * were never read are refused until the day is over; inspections in progress are finished. The time of a file is the
 * sum of its tries with less than a day between them.
 */

/** Half an hour: six files at the standard limit of five minutes. */
const MOST_SECONDS = 1800;
const DAY = sql`interval '1 day'`;

export const UsedUp = z.object({
  used_up: z.enum(['time', 'memory']),
  /** Worker time in seconds. */
  seconds: z.number().min(0).max(86_400),
});
export type UsedUp = z.infer<typeof UsedUp>;

/** Adds a failed try. A repeated call counts twice, so the limit may be reached early but never late. */
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

export type FileRefusal = 'time' | 'memory' | 'day';

/** SQL of why a file is refused: its stored reason, or `day` after MOST_SECONDS; null if it may be tried. */
export const fileRefusal = (
  instituteId: RawBuilder<unknown>,
  sha256: RawBuilder<unknown>,
) => sql<FileRefusal | null>`(
  select coalesce(max(f.used_up) filter (where f.sha256 = ${sha256}),
    case when sum(f.seconds) >= ${MOST_SECONDS} then 'day' end)
  from exhausting_files f
  where f.institute_id = ${instituteId} and f.last_at > clock_timestamp() - ${DAY})`;

export const refusalOfFile = async (
  tx: Tx,
  instituteId: string,
  sha256: string,
): Promise<FileRefusal | null> => {
  const { rows } = await sql<{ refusal: FileRefusal | null }>`
    select ${fileRefusal(sql`${instituteId}::uuid`, sql`${sha256}::text`)} as refusal`.execute(tx);
  return rows[0]?.refusal ?? null;
};

const BATCH = 1000;

/** Deletes up to BATCH rows older than a day; one part of `removeFiles`. @returns how many */
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
