import { RUN_LANES } from '@evaluation/jobs-contract';
import { sql } from 'kysely';
import { send, type Tx } from '@evaluation/database';
import { DomainFailure, type Failure } from '@evaluation/rest-contract/errors';
import type { Actor } from '@evaluation/platform/signed-actor';
import { findExam } from '../../command/locks/findExam.ts';
import { lockSubmissionFor } from '../../command/locks/lockSubmission.ts';
import { countCredits } from '../../command/metrics.ts';
import { savePendingRubricsOfExam } from '../../exams/paper/savePending.ts';
import { queueAgain } from '../review/queueAgain.ts';
import { countCopy } from '../../credits/dailyCopies.ts';
import { payForRun, readTerms } from '../../grading/runs/payForRun.ts';
import type { Services } from '../../command/services.ts';
import { isOutdated, type ExamAtVersion } from '../../submissions/outdated.ts';

/*
 * Grades again what was graded under an older rubric or model answer. Each submission is a transaction of its own:
 * locks of exam and submission, a check that the submission is still outdated, and the same run and reservation as a
 * re-evaluation that keeps the teacher's marks.
 *
 * State: none besides the runs. A submission with a new run is not outdated any more, so a repeated call continues with
 * the rest. After a crash, and with two calls at once, each submission is graded and paid again once.
 */

/** Submissions of one call, which takes some seconds; less than the timeout of its caller. */
const PORTION = 25;

interface Regrade {
  /** Submissions that this call queued. */
  queued: string[];
  /** Outdated submissions that are left. The caller repeats the call until it is 0. */
  remaining: number;
  /** Why the call ended early: the credits or the daily quota are used up. A later call continues. */
  stopped: Failure | null;
}

/** Errors that end the call. Any other error concerns one submission, which has changed since it was selected. */
const ENDS_THE_CALL: ReadonlySet<Failure['code']> = new Set(['insufficient_credits', 'daily_quota_exceeded']);

/**
 * @param version the rubric version that the preview showed
 * @throws DomainFailure exam_not_found, rubric_version_mismatch if the rubrics have changed since the preview
 */
export const startRegrade = async (
  services: Services,
  actor: Actor,
  examId: string,
  version: number,
): Promise<Regrade> => {
  const wanted = await services.database.inTenant(actor.institute_id, async (tx) => {
    const exam = await findExam(tx, actor, examId);
    const current = (await savePendingRubricsOfExam(tx, actor.institute_id, exam.id)) ?? exam.rubric_version;
    if (current !== version) throw new DomainFailure('rubric_version_mismatch');
    return selectOutdated(tx, { instituteId: actor.institute_id, examId: exam.id, version });
  });
  const queued: string[] = [];
  let stopped: Failure | null = null;
  for (const submissionId of wanted) {
    try {
      if (await regradeOne(services, actor, submissionId, version)) queued.push(submissionId);
    } catch (error) {
      if (!(error instanceof DomainFailure)) throw error;
      if (error.failure.code === 'rubric_version_mismatch') throw error;
      if (!ENDS_THE_CALL.has(error.failure.code)) continue;
      stopped = error.failure;
      break;
    }
  }
  if (queued.length > 0) for (const lane of RUN_LANES) services.wakeDispatcher(lane);
  const remaining = await services.database.inTenant(actor.institute_id, (tx) =>
    countOutdated(tx, { instituteId: actor.institute_id, examId, version }),
  );
  return { queued, remaining, stopped };
};

/** @returns false if the submission is not outdated any more, because another call was first */
const regradeOne = async (
  services: Services,
  actor: Actor,
  submissionId: string,
  version: number,
): Promise<boolean> => {
  const instituteId = actor.institute_id;
  const price = await services.database.inTenant(instituteId, async (tx) => {
    const { exam, submission } = await lockSubmissionFor(tx, actor, submissionId, 're_evaluate');
    if (exam.rubric_version !== version) throw new DomainFailure('rubric_version_mismatch');
    const { rows } = await sql`
      select from submissions s
      where s.id = ${submission.id} and ${isOutdated({ instituteId, examId: exam.id, version })}`.execute(tx);
    if (rows.length === 0) return null;
    const { run, waits } = await queueAgain(tx, actor, exam, submission, true);
    const terms = await readTerms(tx, actor);
    const [counted] = await send(tx, countCopy(instituteId, terms));
    await payForRun(tx, actor, { run, waits, terms, counted, freed: null });
    return run.price;
  });
  if (price === null) return false;
  await countCredits(services, 'reserved', price);
  return true;
};

const selectOutdated = async (tx: Tx, exam: ExamAtVersion): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select s.id from submissions s
    where ${isOutdated(exam)}
    order by s.updated_at, s.id
    limit ${PORTION}`.execute(tx);
  return rows.map(({ id }) => id);
};

const countOutdated = async (tx: Tx, exam: ExamAtVersion): Promise<number> => {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from submissions s where ${isOutdated(exam)}`.execute(tx);
  return rows[0]?.count ?? 0;
};
