import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';

/**
 * Copies of sample exams that an institute is given, for ever, so that trying the service again and again costs the
 * operator a bounded sum. Later ones cost what all copies cost.
 */
const MOST_FREE = 30;

/** Whether the next copy of a sample exam costs nothing. Two at once wait for the exam's lock. */
export const isFreeCopy = async (
  tx: Tx,
  { instituteId, isSample }: { instituteId: string; isSample: boolean },
): Promise<boolean> => {
  if (!isSample) return false;
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from submissions s
    join exams e on e.institute_id = s.institute_id and e.id = s.exam_id
    where e.institute_id = ${instituteId} and e.is_sample`.execute(tx);
  return (rows[0]?.count ?? 0) < MOST_FREE;
};
