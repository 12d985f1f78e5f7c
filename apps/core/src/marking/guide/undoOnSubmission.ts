import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import type { MarkAndFlags } from '@evaluation/guide';
import { isChange, readGuidable, StoredMark, type SkipReason } from '../../guides/guidable.ts';
import { restoreMarks } from '../../guides/guidedMarks.ts';
import { audit } from '../review/audit.ts';
import { marksChanged } from '../review/marksChanged.ts';
import type { StoredApplication } from './applications.ts';
import type { SubmissionInPass } from './lockSubmissionOf.ts';
import { countMark, countSkipped, type Tally } from './tally.ts';

/**
 * Restores the marks that a locked submission had before the application. Marks that a teacher has given or confirmed
 * since are kept, and so are all marks of a finalized submission. @returns the tally with these results added
 */
export const undoOnSubmission = async (
  tx: Tx,
  instituteId: string,
  application: StoredApplication,
  submission: SubmissionInPass,
  tally: Tally,
): Promise<Tally> => {
  const set = await marksSetBy(tx, instituteId, application.id, submission.current_run_id);
  if (set.length === 0) return tally;
  const results = new Map(
    (await readGuidable(tx, instituteId, [submission.id])).map((result) => [result.question_id, result]),
  );
  const undone: Restored[] = [];
  let counted = tally;
  for (const mark of set) {
    const result = results.get(mark.question_id);
    const kept = result === undefined ? 'changed_since' : reasonToKeep(result, application.id, mark.after);
    if (kept === null) {
      counted = countMark(counted, { before: mark.after, after: mark.before, passes: false, audited: false });
      undone.push(mark);
    } else {
      counted = countSkipped(counted, kept);
    }
  }
  if (undone.length === 0) return counted;
  await restoreMarks(tx, instituteId, application.id, undone);
  await marksChanged(tx, instituteId, submission);
  await audit(
    tx,
    application.actor,
    undone.map(({ question_id, before, after }) => ({
      action: 'guide_undo',
      exam_id: application.exam_id,
      submission_id: submission.id,
      question_id,
      reviewer: application.actor.key_id,
      reason: null,
      before: { ...after },
      after: { ...before, application: application.number },
    })),
  );
  return counted;
};

interface Restored {
  run_id: string;
  question_id: string;
  before: MarkAndFlags;
  after: MarkAndFlags;
}

const marksSetBy = async (
  tx: Tx,
  instituteId: string,
  applicationId: string,
  runId: string,
): Promise<Restored[]> => {
  const rows = await tx
    .selectFrom('guided_marks')
    .select(['run_id', 'question_id', 'before', 'after'])
    .where('institute_id', '=', instituteId)
    .where('application_id', '=', applicationId)
    .where('run_id', '=', runId)
    .where(sql<boolean>`undone_at is null`)
    .orderBy('question_id')
    .execute();
  return rows.map((row) => ({
    ...row,
    before: StoredMark.parse(row.before),
    after: StoredMark.parse(row.after),
  }));
};

const reasonToKeep = (
  result: Awaited<ReturnType<typeof readGuidable>>[number],
  applicationId: string,
  after: MarkAndFlags,
): SkipReason | null => {
  if (result.is_finalized) return 'finalized';
  if (result.override !== null || result.is_approved) return 'teacher';
  if (result.guided?.application_id !== applicationId || result.mark === null) return 'changed_since';
  return isChange({ before: after, after: result.mark }) ? 'changed_since' : null;
};
