import { MarkedQuestion } from '@evaluation/rules/grading-model';
import { Ink } from '@evaluation/rules/marked-page';
import { reusePlans, send, type Tx } from '@evaluation/database';
import { RUN_LANES, type RunLane } from '@evaluation/jobs-contract';
import { gradingError } from '@evaluation/rest-contract/grading-failures';
import type { GradingError } from '@evaluation/rest-contract/schemas';
import { advances, type GradingStep } from '@evaluation/rules';
import * as z from 'zod/v4';
import { savePendingRubricsOfExam } from '../../exams/paper/savePending.ts';
import type { Services } from '../../command/services.ts';
import { unreachable } from '../../command/unreachable.ts';
import { CurrentPaper } from '../../exams/paper/paper.ts';
import { Candidate, DecidedQuestion, OverrideInForce } from '../../exams/paper/markedMaterial.ts';
import { newClaim, type NewClaim } from '../../command/workerCalls/claimToken.ts';
import {
  claimLocked,
  lockForClaim,
  materialRead,
  type ClaimedMaterial,
  type RunToBeClaimed,
} from './claimStatements.ts';
import { failAbandonedRun } from './failRun.ts';
import { MarkedExample, pinExamples, poolOf, readPinnedExamples, selectDecisions } from './markedExamples.ts';
import { restRun } from './releaseRuns.ts';
import { usedBefore, UsedByRun } from './usedByRun.ts';

/** Material of a run for a worker: no credentials, and a name only if the checked copy prints it. */
const RunMaterial = z.object({
  run_id: z.uuid(),
  institute_id: z.uuid(),
  /** From 1; a larger number is a re-evaluation. */
  attempt: z.int(),
  /** True if a run of the submission completed before: do not reuse cached judgements. Failed runs do not count. */
  rejudges: z.boolean(),
  fence: z.int(),
  /** Must be sent with every later call about this run. */
  token: z.string(),
  lease_seconds: z.number(),
  deadline_at: z.iso.datetime(),
  /** Trace context of the request that queued the run (W3C). */
  traceparent: z.string().nullable(),
  lane: z.enum(RUN_LANES),
  exam: CurrentPaper.shape.exam,
  candidate: Candidate,
  questions: z.array(MarkedQuestion),
  /** Typed answers that wait for the AI. */
  answers: z.array(z.object({ question_id: z.uuid(), text: z.string() })),
  copy: z.object({ pages: z.int(), source_url: z.string() }).nullable(),
  /** Records of earlier deliveries of this run; the worker does not repeat their model calls. */
  page_readings: z.array(z.object({ first_page: z.int(), pages: z.unknown() })),
  alignment: z.unknown(),
  results: z.array(DecidedQuestion),
  /** Token usage of earlier deliveries; null if not recorded. */
  used: UsedByRun.nullable(),
  /** Answers of other candidates with the teacher's marks, at most six of a question. */
  examples: z.array(MarkedExample),
  /** Overrides that this run keeps. They cannot change during the run. */
  overrides: z.array(OverrideInForce),
  ink: z.array(Ink),
});
type RunMaterial = z.infer<typeof RunMaterial>;

export const RunToClaim = z.object({
  run_id: z.uuid(),
  institute_id: z.uuid(),
  worker: z.string().max(200),
});
type RunToClaim = z.infer<typeof RunToClaim>;

/**
 * Claims a released run for a worker: lease, fence, token, and the paper, which the first claim pins. A duplicate
 * message finds the run claimed and a late message finds it finished; both return null, and the worker acknowledges
 * them. If the claim fails with an error, the run rests and its place in the lane is released for another run.
 */
export const claimRun = async (services: Services, job: RunToClaim): Promise<RunMaterial | null> => {
  try {
    const material = await claim(services, job, newClaim());
    // The claimed run has left its place in the lane.
    if (material !== null) services.wakeDispatcher('place');
    return material;
  } catch (error) {
    // If `restRun` fails too, the message is delivered again.
    await restRun(services, job, unreachable(error) === null).catch((failure: unknown) =>
      services.log.warn(
        { err: failure, run_id: job.run_id, institute_id: job.institute_id },
        'putting back a run after a failed claim failed; its message is delivered again',
      ),
    );
    throw error;
  }
};

const claim = async (
  services: Services,
  job: RunToClaim,
  newToken: NewClaim,
): Promise<RunMaterial | null> => {
  const claimed = await services.database.inTenant(job.institute_id, (tx) =>
    claimIn(tx, services, job, newToken),
  );
  switch (claimed.outcome) {
    case 'gone':
      return null;
    case 'refused':
      await failAbandonedRun(services, job, claimed.error);
      return null;
    case 'rubrics are pending':
      // Saved before any other lock, because saving takes the exam's lock.
      await services.database.inTenant(job.institute_id, (tx) =>
        savePendingRubricsOfExam(tx, job.institute_id, claimed.examId),
      );
      return claim(services, job, newToken);
    case 'claimed':
      return materialOf(services, job, newToken, claimed);
  }
};

type Claimed =
  | { outcome: 'gone' }
  | { outcome: 'refused'; error: GradingError }
  | { outcome: 'rubrics are pending'; examId: string }
  | {
      outcome: 'claimed';
      submission: RunToBeClaimed;
      run: ClaimedMaterial;
      examples: MarkedExample[];
    };

const claimIn = async (
  tx: Tx,
  { settings }: Services,
  job: RunToClaim,
  { sha256 }: NewClaim,
): Promise<Claimed> => {
  await reusePlans(tx);
  const submission = await lockForClaim(tx, job);
  if (submission === undefined || submission.run_status !== 'released') return { outcome: 'gone' };
  if (submission.has_pending_rubrics) return { outcome: 'rubrics are pending', examId: submission.exam_id };
  // A copy that was graded before is readable.
  if (submission.is_day_used_up && !submission.was_graded)
    return { outcome: 'refused', error: gradingError('day_used_up') };
  const step = FIRST_STEP[submission.lane];
  const claimed = claimLocked(job, submission, {
    worker: job.worker,
    sha256,
    leaseSeconds: settings.runs.leaseSeconds,
    deadlineSeconds: settings.runs.deadlineSeconds[submission.lane],
    keepsEvidence: settings.evidence.retentionDays > 0,
    step: advances(submission.status, step) ? step : null,
  });
  if (submission.is_pinned) {
    const [rows] = await send(tx, claimed);
    const run = materialRead(rows);
    return {
      outcome: 'claimed',
      submission,
      run,
      examples: await readPinnedExamples(tx, job, run.marked_examples),
    };
  }
  const [rows, decisions] = await send(tx, claimed, selectDecisions(job.institute_id, submission));
  const run = materialRead(rows);
  const pool = await poolOf(tx, job.institute_id, submission, decisions);
  const examples = await pinExamples(tx, job, pool, run.answers);
  return { outcome: 'claimed', submission, run, examples };
};

/** A typed submission has no file to prepare and no pages to read, so its claim begins the grading itself. */
const FIRST_STEP: Record<RunLane, GradingStep> = { copy: 'processing', typed: 'grading' };

const materialOf = async (
  services: Services,
  job: RunToClaim,
  { token }: NewClaim,
  {
    submission,
    run,
    examples,
  }: { submission: RunToBeClaimed; run: ClaimedMaterial; examples: MarkedExample[] },
): Promise<RunMaterial> => {
  const { run_id, institute_id } = job;
  services.claims.remember({ run_id, institute_id, fence: run.fence, token }, submission.id);
  const rubrics = new Map(run.rubrics.map(({ question_id, rubric }) => [question_id, rubric]));
  const expiresInSeconds = Math.max(60, Math.ceil((run.deadline_at.getTime() - Date.now()) / 1000));
  return {
    run_id,
    institute_id,
    attempt: run.attempt,
    rejudges: submission.was_graded,
    fence: run.fence,
    token,
    lease_seconds: services.settings.runs.leaseSeconds,
    deadline_at: run.deadline_at.toISOString(),
    traceparent: run.traceparent,
    lane: submission.lane,
    exam: run.paper.exam,
    candidate: run.candidate,
    // The rubrics that were generated for the run since its first claim.
    questions: run.paper.questions.map((question) => ({
      ...question,
      rubric: question.rubric ?? rubrics.get(question.id) ?? null,
    })),
    answers: run.answers,
    copy:
      submission.sealed_key === null
        ? null
        : {
            pages: submission.pages ?? 0,
            source_url: await services.objects.presignGet(submission.sealed_key, { expiresInSeconds }),
          },
    page_readings: run.page_readings.map(({ first_page, pages }) => ({ first_page, pages })),
    alignment: run.alignment,
    results: run.results,
    used: usedBefore(run),
    examples,
    overrides: run.overrides,
    ink: run.ink,
  };
};
