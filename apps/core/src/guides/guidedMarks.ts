import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import type { MarkAndFlags } from '@evaluation/guide';
import type { GuidedResult } from './guidable.ts';

/*
 * Marks that a guide has set. question_results holds the mark in force for all readers; guided_marks holds what was
 * there before, so that an undo restores it exactly and a replay knows the version. Several applications of one exam
 * form a stack on each result: the latest one that is not undone is in force. The caller holds the submission's lock.
 */

interface Application {
  id: string;
  number: number;
  exam_id: string;
}

export const writeGuidedMarks = async (
  tx: Tx,
  instituteId: string,
  application: Application,
  marks: readonly GuidedResult[],
): Promise<void> => {
  if (marks.length === 0) return;
  await setMarks(
    tx,
    instituteId,
    marks.map(({ result, after }) => ({
      run_id: result.run_id,
      question_id: result.question_id,
      mark: after,
    })),
  );
  const rows = marks.map(({ result, version, threshold, grader, before, after, passes, audited }) => ({
    run_id: result.run_id,
    question_id: result.question_id,
    submission_id: result.submission_id,
    version,
    threshold,
    grader,
    before,
    after,
    passes,
    audited,
  }));
  await sql`
    insert into guided_marks (institute_id, application_id, number, exam_id, run_id, question_id, submission_id, version,
      threshold, grader, before, after, passes, audited)
    select ${instituteId}::uuid, ${application.id}::uuid, ${application.number}::int, ${application.exam_id}::uuid,
      m.run_id, m.question_id, m.submission_id, m.version, m.threshold, m.grader, m.before, m.after, m.passes, m.audited
    from json_to_recordset(${JSON.stringify(rows)}::json) as m (run_id uuid, question_id uuid, submission_id uuid,
      version int, threshold numeric, grader jsonb, before jsonb, after jsonb, passes boolean, audited boolean)`.execute(
    tx,
  );
};

/** Restores the marks before an application. @param marks of one run */
export const restoreMarks = async (
  tx: Tx,
  instituteId: string,
  applicationId: string,
  marks: readonly { run_id: string; question_id: string; before: MarkAndFlags }[],
): Promise<void> => {
  if (marks.length === 0) return;
  await setMarks(
    tx,
    instituteId,
    marks.map(({ before, ...result }) => ({ ...result, mark: before })),
  );
  await tx
    .updateTable('guided_marks')
    .set({ undone_at: sql<Date>`clock_timestamp()` })
    .where('institute_id', '=', instituteId)
    .where('application_id', '=', applicationId)
    .where(sql<boolean>`run_id = any(${marks.map(({ run_id }) => run_id)}::uuid[])`)
    .where(sql<boolean>`question_id = any(${marks.map(({ question_id }) => question_id)}::uuid[])`)
    .execute();
};

const setMarks = async (
  tx: Tx,
  instituteId: string,
  marks: readonly { run_id: string; question_id: string; mark: MarkAndFlags }[],
): Promise<void> => {
  const rows = marks.map(({ run_id, question_id, mark }) => ({ run_id, question_id, ...mark }));
  await sql`
    update question_results r
    set awarded = m.awarded, confidence = m.confidence, needs_review = m.needs_review,
      review_reasons = array(select jsonb_array_elements_text(m.review_reasons))
    from json_to_recordset(${JSON.stringify(rows)}::json) as m (run_id uuid, question_id uuid, awarded numeric,
      confidence numeric, needs_review boolean, review_reasons jsonb)
    where r.institute_id = ${instituteId} and r.run_id = m.run_id and r.question_id = m.question_id`.execute(
    tx,
  );
};
