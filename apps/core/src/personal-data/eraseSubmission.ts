import { sql } from 'kysely';
import { json, type Tx } from '@evaluation/database';
import { release } from '../credits/ledger.ts';
import { ensureVersions } from '../guides/versions.ts';
import { stopRun, type StoppedRun } from '../grading/runs/stopRun.ts';

/**
 * Blanks the personal data and the answer in a submission of any state. Ids, times, marks, statuses, flags, credits and
 * the names of rubric criteria stay. An active run is stopped as by a cancel, and its credits are released. Locks: exam
 * → upload → submission → run → credits. Append-only rows stay unchanged (docs/operate/privacy.md#erase).
 * @returns the stopped run, to be announced after the commit
 */
export const eraseSubmission = async (
  tx: Tx,
  instituteId: string,
  { id, exam_id }: { id: string; exam_id: string },
): Promise<StoppedRun | null> => {
  // Locks the exam in any status; other commands that change its submissions wait here.
  await tx
    .selectFrom('exams')
    .select('id')
    .where('institute_id', '=', instituteId)
    .where('id', '=', exam_id)
    .forNoKeyUpdate()
    .execute();
  await tx
    .updateTable('uploads')
    .set({ file_name: 'erased.pdf', sha256: null, reject_reason: null })
    .where('institute_id', '=', instituteId)
    .where('submission_id', '=', id)
    .execute();
  const submission = await tx
    .selectFrom('submissions')
    .select(['id', 'current_run_id'])
    .where('institute_id', '=', instituteId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow();

  const stopped = await stopRun(tx, { institute_id: instituteId, run_id: submission.current_run_id }, null);
  await tx
    .updateTable('submissions')
    .set({
      ...(stopped === null ? {} : { status: 'cancelled' }),
      metadata: null,
      earlier_marks: null,
      erased_at: sql<Date>`clock_timestamp()`,
    })
    .where('institute_id', '=', instituteId)
    .where('id', '=', id)
    .execute();
  const runs = await tx
    .updateTable('runs')
    .set({ alignment: null })
    .where('institute_id', '=', instituteId)
    .where('submission_id', '=', id)
    .returning('id')
    .execute();
  const ofRuns = sql<boolean>`run_id = any(${runs.map((run) => run.id)}::uuid[])`;
  await tx
    .updateTable('question_results')
    .set({
      extracted_answer: null,
      feedback: null,
      criteria: sql<unknown>`(select coalesce(jsonb_agg(c - 'evidence' || '{"reason": null}' order by place), '[]')
        from jsonb_array_elements(criteria) with ordinality as of_criteria (c, place))`,
      annotations: json([]),
    })
    .where('institute_id', '=', instituteId)
    .where(ofRuns)
    .execute();
  for (const table of ['page_readings', 'evidence_parts', 'judgements'] as const) {
    await tx.deleteFrom(table).where('institute_id', '=', instituteId).where(ofRuns).execute();
  }
  for (const table of [
    'answers',
    'checked_copies',
    'copy_drawings',
    'marking_flags',
    'marking_ink',
  ] as const) {
    await tx
      .deleteFrom(table)
      .where('institute_id', '=', instituteId)
      .where('submission_id', '=', id)
      .execute();
  }
  await tx
    .updateTable('reviews')
    .set({ reason: null, feedback: null })
    .where('institute_id', '=', instituteId)
    .where('submission_id', '=', id)
    .execute();
  // The erased answer is not an example any more. An exam without guides gets no version.
  if (await hasGuides(tx, instituteId, exam_id)) await ensureVersions(tx, instituteId, exam_id);
  if (stopped !== null) await release(tx, stopped, stopped.price);
  return stopped;
};

const hasGuides = async (tx: Tx, instituteId: string, examId: string): Promise<boolean> => {
  const version = await tx
    .selectFrom('guide_versions')
    .select('version')
    .where('institute_id', '=', instituteId)
    .where('exam_id', '=', examId)
    .limit(1)
    .executeTakeFirst();
  return version !== undefined;
};
