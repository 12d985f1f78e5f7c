import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';

/** Bound of a page in memory. Fifty results with 200 long answers of 20,000 characters would take 200 MB. */
const MAX_PAGE_BYTES = 16 * 1024 * 1024;
/** Estimated ratio of the length of jsonb as text to its stored, compressed size. */
const UNPACKED = 3;

/**
 * Counts the submissions that fit into MAX_PAGE_BYTES, at least one, by the stored sizes, which PostgreSQL returns
 * without reading the values.
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

/** Sums the sizes of all versions of the model answers, an upper bound of those that each result repeats. */
const modelAnswerBytes = async (tx: Tx, instituteId: string, examId: string): Promise<number> => {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(octet_length(model_answer)), 0)::int as bytes from rubric_versions
    where institute_id = ${instituteId} and exam_id = ${examId}`.execute(tx);
  return rows[0]?.bytes ?? 0;
};
