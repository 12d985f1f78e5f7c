import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import type { Rubric } from '@evaluation/rest-contract/schemas';

/** Rubric and model answer of a question from a version on; both null if they were cleared. */
export interface VersionRow {
  question_id: string;
  rubric: Rubric | null;
  model_answer: string | null;
}

/**
 * The caller holds the exam's lock and sets `rubric_version` in the same transaction (docs/architecture.md#rubrics).
 */
export const appendVersion = async (
  tx: Tx,
  exam: { instituteId: string; examId: string },
  version: number,
  rows: readonly VersionRow[],
): Promise<void> => {
  if (rows.length === 0) return;
  await sql`
    insert into rubric_versions (institute_id, exam_id, question_id, version, rubric, model_answer)
    select ${exam.instituteId}, ${exam.examId}, question_id, ${version}, rubric, model_answer
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as sent(question_id uuid, rubric jsonb, model_answer text)`.execute(tx);
};
