import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import type { Actor } from '@evaluation/platform/signed-actor';
import { runLanes } from '@evaluation/jobs-contract';
import { markByKey } from '@evaluation/rules';
import { dropGuideMarks } from '../../guides/guideMarks.ts';
import { audit } from '../../command/audit.ts';
import type { LockedExam } from '../../command/locks/lockExam.ts';
import type { LockedSubmission } from '../../command/locks/lockSubmission.ts';
import { newId } from '../../command/newId.ts';
import { dropOverrides } from './dropOverrides.ts';
import { keepEarlierMarks } from './earlierMarks.ts';
import { readPaper } from '../../exams/paper/paper.ts';
import { insertRun, stateAtStartOfRun, type NewRun, type RunIntake } from '../../grading/runs/insertRun.ts';

interface QueuedRun {
  run: NewRun;
  /** False if no question needs the AI: the run is complete at once. */
  waits: boolean;
}

/**
 * Queues a new run of a submission at the originally quoted price. The caller holds the locks of exam and submission,
 * and pays for the run in the same transaction.
 */
export const queueAgain = async (
  tx: Tx,
  actor: Actor,
  exam: LockedExam,
  submission: LockedSubmission,
  keepsOverrides: boolean,
): Promise<QueuedRun> => {
  const instituteId = actor.institute_id;
  await keepEarlierMarks(tx, instituteId, submission.id);
  if (!keepsOverrides) await dropOverrides(tx, actor, submission);
  await dropGuideMarks(tx, instituteId, submission.id);
  const intake = await intakeAgain(tx, instituteId, exam, submission);
  const run = {
    id: newId(),
    attempt: submission.attempt_count + 1,
    lane: submission.lane,
    price: Number(submission.quote_credits),
  };
  const place = { instituteId, examId: exam.id };
  await tx
    .updateTable('submissions')
    .set({
      ...stateAtStartOfRun(run, { ...place, pages: submission.pages }, intake.questionsForAi),
      // An approval applies to the earlier marks only.
      approved_at: null,
      approved_by: null,
      // A checked copy of the earlier marks is not valid any more (docs/architecture.md#checked-copy).
      marks_revision: sql<number>`marks_revision + 1`,
    })
    .where('institute_id', '=', instituteId)
    .where('id', '=', submission.id)
    .execute();
  await insertRun(tx, { ...place, submissionId: submission.id, run, intake });
  await audit(tx, actor, [
    {
      action: 're_evaluate',
      exam_id: exam.id,
      submission_id: submission.id,
      after: { attempt: run.attempt, rubric_version: exam.rubric_version },
    },
  ]);
  return { run, waits: intake.questionsForAi > 0 };
};

const intakeAgain = async (
  tx: Tx,
  instituteId: string,
  exam: LockedExam,
  submission: LockedSubmission,
): Promise<RunIntake> => {
  if (runLanes[submission.lane].grades === 'pages')
    return { questionsForAi: exam.question_count, results: [] };
  const answers = await tx
    .selectFrom('answers')
    .select(['question_id', 'option_labels', 'text'])
    .where('institute_id', '=', instituteId)
    .where('submission_id', '=', submission.id)
    .execute();
  const { waiting, results } = markByKey(await readPaper(tx, instituteId, exam.id, null), answers);
  return { questionsForAi: waiting, results };
};
