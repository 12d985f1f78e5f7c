import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import { runLanes } from '@evaluation/jobs-contract';
import { ReEvaluate, type Submission } from '@evaluation/rest-contract/schemas';
import { markByKey } from '@evaluation/rules';
import type { Actor } from '@evaluation/signed-actor';
import { accept } from '../accept.ts';
import { newId } from '../newId.ts';
import { dropOverrides } from './dropOverrides.ts';
import type { LockedExam } from '../locks/lockExam.ts';
import type { Services } from '../services.ts';
import { readSubmission } from '../submissions/getSubmission.ts';
import { insertRun, stateAtStartOfRun, type RunIntake } from '../runs/insertRun.ts';
import { countCredits } from '../metrics.ts';
import { lockSubmissionFor, type LockedSubmission } from '../locks/lockSubmission.ts';
import { readPaper } from '../paper/paper.ts';
import { payForRun, readTerms } from '../runs/payForRun.ts';

/**
 * Grades a submission again: a new run at the originally quoted price. Marks of earlier runs stay stored but are not
 * shown any more.
 * @throws DomainFailure not_found, exam_not_found, conflict (replaced or deleted), evaluation_in_progress,
 * submission_finalized, validation_failed, feature_not_available, insufficient_credits, daily_quota_exceeded
 */
export const reEvaluate = async (
  services: Services,
  actor: Actor,
  submissionId: string,
  body: unknown,
): Promise<Submission> => {
  const submission = await services.database.inTenant(actor.institute_id, async (tx) => {
    const { exam, submission: locked } = await lockSubmissionFor(
      tx,
      actor.institute_id,
      submissionId,
      're_evaluate',
    );
    const keepsOverrides = accept(ReEvaluate, body).keep_overrides ?? true;
    if (!keepsOverrides) await dropOverrides(tx, actor, locked);
    const intake = await intakeAgain(tx, actor.institute_id, exam, locked);
    const run = {
      id: newId(),
      attempt: locked.attempt_count + 1,
      lane: locked.lane,
      price: Number(locked.quote_credits),
    };
    const place = { instituteId: actor.institute_id, examId: exam.id };
    await tx
      .updateTable('submissions')
      .set({
        ...stateAtStartOfRun(run, { ...place, pages: locked.pages }, intake.questionsForAi),
        // The approval was given to the earlier marks.
        approved_at: null,
        approved_by: null,
        // A checked copy of the earlier marks is not valid any more (docs/architecture.md#checked-copy).
        marks_revision: sql<number>`marks_revision + 1`,
      })
      .where('institute_id', '=', actor.institute_id)
      .where('id', '=', locked.id)
      .execute();
    await insertRun(tx, { ...place, submissionId: locked.id, run, intake });
    const terms = await readTerms(tx, actor);
    // Read before `payForRun` locks the most contended rows.
    const accepted = await readSubmission(tx, actor.institute_id, locked.id, services.lanePace);
    await payForRun(tx, actor, { run, waits: intake.questionsForAi > 0, terms, freed: null });
    return { accepted, price: run.price };
  });
  if (submission.accepted.status === 'queued') services.wakeDispatcher(submission.accepted.lane);
  await countCredits(services, 'reserved', submission.price);
  return submission.accepted;
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
