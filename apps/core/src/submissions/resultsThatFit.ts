import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';

/**
 * How much of a page of results is held at once, in core and in the facade. Results that are usual fit fifty times over;
 * two hundred long answers of 20,000 characters each (docs/api/limits.md#sizes), fifty times over, would be two hundred megabytes.
 */
const MAX_PAGE_BYTES = 16 * 1024 * 1024;
/** Of jsonb the stored size is known without unpacking it; as text it is about this many times as long. */
const UNPACKED = 3;

/**
 * How many of a page's submissions can be shown together with their questions: at least one. The sizes are those of the
 * stored values, which PostgreSQL tells without reading them.
 */
export const resultsThatFit = async (
  tx: Tx,
  instituteId: string,
  rows: readonly { exam_id: string; current_run_id: string }[],
  include: ReadonlySet<string>,
): Promise<number> => {
  const examId = rows[0]?.exam_id;
  if (examId === undefined) return 0;
  const sizes = await sql<{ run_id: string; bytes: number }>`
    select r.run_id, sum(
        coalesce(octet_length(r.feedback), 0) + ${UNPACKED}::int * pg_column_size(r.criteria)
        + ${include.has('-extracted_answer') ? sql`0` : sql`coalesce(octet_length(r.extracted_answer), 0)`}
        + ${include.has('annotations') ? sql`${UNPACKED}::int * pg_column_size(r.annotations)` : sql`0`})::int as bytes
    from question_results r
    where r.institute_id = ${instituteId}
      and r.run_id = any(${rows.map(({ current_run_id }) => current_run_id)}::uuid[])
    group by r.run_id`.execute(tx);
  const bytesOf = new Map(sizes.rows.map(({ run_id, bytes }) => [run_id, bytes]));
  const repeated = include.has('model_answer') ? await modelAnswerBytes(tx, instituteId, examId) : 0;
  let total = 0;
  const fitting = rows.findIndex(({ current_run_id }) => {
    total += (bytesOf.get(current_run_id) ?? 0) + repeated;
    return total > MAX_PAGE_BYTES;
  });
  return fitting === -1 ? rows.length : Math.max(1, fitting);
};

/** Model answers are repeated in each result; of all versions, which is too many rather than too few. */
const modelAnswerBytes = async (tx: Tx, instituteId: string, examId: string): Promise<number> => {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(octet_length(model_answer)), 0)::int as bytes from rubric_versions
    where institute_id = ${instituteId} and exam_id = ${examId}`.execute(tx);
  return rows[0]?.bytes ?? 0;
};
