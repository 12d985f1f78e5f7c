import { sql } from 'kysely';
import { MarkedQuestion } from '@evaluation/grading-model';
import { json, type Tx } from '@evaluation/database';
import { RUN_LANES } from '@evaluation/jobs-contract';
import { gradingError, type GradingFailure } from '@evaluation/rest-contract/grading-failures';
import type { GradingError } from '@evaluation/rest-contract/schemas';
import { advances } from '@evaluation/rules';
import * as z from 'zod/v4';
import { withPinnedRubrics } from '../paper/pinned.ts';
import { savePendingRubricsOfExam } from '../paper/savePending.ts';
import type { Services } from '../services.ts';
import { unreachable } from '../unreachable.ts';
import { refusalOfFile } from '../uploads/exhaustingFiles.ts';
import { CurrentPaper, readCurrentPaper } from '../paper/paper.ts';
import {
  Candidate,
  DecidedQuestion,
  OverrideInForce,
  readCandidate,
  readDecided,
  readOverrides,
} from '../paper/markedMaterial.ts';
import { newClaim, withToken, type NewClaim } from '../workerCalls/claimToken.ts';
import { failAbandonedRun } from './finishRun.ts';
import { restRun } from './releaseRuns.ts';
import { usedBefore, UsedByRun } from './usedByRun.ts';

/** Material of a run for a worker: no credentials, and a name only if the checked copy prints it. */
export const RunMaterial = z.object({
  run_id: z.uuid(),
  institute_id: z.uuid(),
  /** From 1; a larger number is a re-evaluation. */
  attempt: z.int(),
  /** True if a run of the submission completed before: do not reuse cached judgements. Failed runs do not count. */
  rejudges: z.boolean(),
  fence: z.int(),
  /** Must be sent with every later call about this run. Absent from a core of release 0.1.0. */
  token: z.string().optional(),
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
  /** Overrides that this run keeps. They cannot change during the run. */
  overrides: z.array(OverrideInForce),
});
export type RunMaterial = z.infer<typeof RunMaterial>;

const Pinned = CurrentPaper.omit({ rubric_version: true });

export const RunToClaim = z.object({
  run_id: z.uuid(),
  institute_id: z.uuid(),
  worker: z.string().max(200),
  ...withToken,
});
type RunToClaim = z.infer<typeof RunToClaim>;

/**
 * Claims a released run for a worker: lease, fence, token, and the paper, which the first claim pins. A duplicate
 * message finds the run claimed and a late message finds it finished; both return null, and the worker acknowledges
 * them. If the claim fails with an error, the run rests and its place in the lane is released for another run.
 */
export const claimRun = async (services: Services, job: RunToClaim): Promise<RunMaterial | null> => {
  try {
    const material = await claim(services, job, newClaim(job));
    // The claimed run has left its place in the lane.
    if (material !== null) services.wakeDispatcher();
    return material;
  } catch (error) {
    // If `restRun` fails too, the message is delivered again.
    await restRun(services, job, unreachable(error) === null).catch((unheard: unknown) =>
      services.log.warn(
        { err: unheard, run_id: job.run_id, institute_id: job.institute_id },
        'putting back a run after a failed claim failed; its message is delivered again',
      ),
    );
    throw error;
  }
};

const claim = async (
  services: Services,
  job: RunToClaim,
  { token, sha256 }: NewClaim,
): Promise<RunMaterial | null> => {
  const { leaseSeconds, deadlineSeconds } = services.settings.runs;
  const claimed = await services.database.inTenant(job.institute_id, async (tx) => {
    await saveRubrics(tx, job);
    const submission = await tx
      .selectFrom('submissions as s')
      .innerJoin('runs as r', 'r.submission_id', 's.id')
      .select(['s.id', 's.exam_id', 's.candidate_id', 's.upload_id', 's.status', 's.lane', 's.pages'])
      .select('r.status as run_status')
      .where('s.institute_id', '=', job.institute_id)
      .where('r.id', '=', job.run_id)
      .forUpdate('s')
      .executeTakeFirst();
    if (submission === undefined) return null;
    const refused = submission.run_status === 'released' ? await refusalOfCopy(tx, job, submission) : null;
    if (refused !== null) return { refused };
    const run = await tx
      .updateTable('runs')
      .set({
        status: 'claimed',
        fence: sql<number>`fence + 1`,
        claim_token_sha256: sha256,
        claim_token_fence: sha256 === null ? null : sql<number>`fence + 1`,
        worker: job.worker,
        lease_until: sql<Date>`clock_timestamp() + make_interval(secs => ${leaseSeconds})`,
        claimed_at: sql<Date>`coalesce(claimed_at, clock_timestamp())`,
        deadline_at: sql<Date>`coalesce(deadline_at, clock_timestamp() + make_interval(secs => ${deadlineSeconds[submission.lane]}))`,
      })
      .where('institute_id', '=', job.institute_id)
      .where('id', '=', job.run_id)
      .where('status', '=', 'released')
      .returning([
        'id',
        'attempt',
        'fence',
        'deadline_at',
        'traceparent',
        'paper',
        'rubric_version',
        'alignment',
        'grader',
        'usage',
      ])
      .executeTakeFirst();
    if (run === undefined) return null;

    const { rubricVersion, ...pinned } =
      run.paper === null
        ? await pin(tx, job, submission.exam_id)
        : { ...(await readPinned(tx, job, run.paper)), rubricVersion: run.rubric_version };
    if (advances(submission.status, 'processing')) {
      await tx
        .updateTable('submissions')
        .set({ status: 'processing', rubric_version: rubricVersion })
        .where('institute_id', '=', job.institute_id)
        .where('id', '=', submission.id)
        .execute();
    }
    return { submission, run, pinned, ...(await readRest(tx, job, submission)) };
  });
  if (claimed === null) return null;
  if ('refused' in claimed) {
    await failAbandonedRun(services, job, claimed.refused);
    return null;
  }

  const { submission, run, pinned } = claimed;
  const deadline = run.deadline_at ?? new Date();
  return {
    run_id: run.id,
    institute_id: job.institute_id,
    attempt: run.attempt,
    rejudges: claimed.rejudges,
    fence: run.fence,
    ...(token === undefined ? {} : { token }),
    lease_seconds: leaseSeconds,
    deadline_at: deadline.toISOString(),
    traceparent: run.traceparent,
    lane: submission.lane,
    exam: pinned.exam,
    candidate: claimed.candidate,
    questions: pinned.questions,
    answers: claimed.answers,
    copy:
      claimed.sealedKey === null
        ? null
        : {
            pages: submission.pages ?? 0,
            source_url: await services.objects.presignGet(claimed.sealedKey, {
              expiresInSeconds: Math.max(60, Math.ceil((deadline.getTime() - Date.now()) / 1000)),
            }),
          },
    page_readings: claimed.pageReadings,
    alignment: run.alignment,
    results: claimed.results,
    used: usedBefore(run),
    overrides: claimed.overrides,
  };
};

const REFUSALS: Record<'time' | 'memory' | 'day', GradingFailure> = {
  time: 'pages_too_slow',
  memory: 'pages_too_large',
  day: 'day_used_up',
};

/** Refuses a file that exhausts its limits. `day` does not apply to a copy that was graded before. */
const refusalOfCopy = async (
  tx: Tx,
  job: { institute_id: string },
  submission: { id: string; upload_id: string | null },
): Promise<GradingError | null> => {
  if (submission.upload_id === null) return null;
  const upload = await tx
    .selectFrom('uploads')
    .select('sha256')
    .where('institute_id', '=', job.institute_id)
    .where('id', '=', submission.upload_id)
    .executeTakeFirst();
  if (upload?.sha256 == null) return null;
  const refusal = await refusalOfFile(tx, job.institute_id, upload.sha256);
  if (refusal === null) return null;
  if (refusal === 'day' && (await wasGraded(tx, job.institute_id, submission.id))) return null;
  return gradingError(REFUSALS[refusal]);
};

const wasGraded = async (tx: Tx, instituteId: string, submissionId: string): Promise<boolean> => {
  const completed = await tx
    .selectFrom('runs')
    .select('id')
    .where('institute_id', '=', instituteId)
    .where('submission_id', '=', submissionId)
    .where('status', '=', 'completed')
    .limit(1)
    .executeTakeFirst();
  return completed !== undefined;
};

/**
 * Saves pending rubrics before any other lock, because it takes the exam's lock.
 * @throws DomainFailure service_unavailable if they cannot be saved; the message is delivered again
 */
const saveRubrics = async (tx: Tx, job: { run_id: string; institute_id: string }): Promise<void> => {
  const pending = await tx
    .selectFrom('runs as r')
    .innerJoin('submissions as s', 's.id', 'r.submission_id')
    .innerJoin('pending_rubrics as p', 'p.exam_id', 's.exam_id')
    .select('p.exam_id')
    .where('r.institute_id', '=', job.institute_id)
    .where('r.id', '=', job.run_id)
    .executeTakeFirst();
  if (pending !== undefined) await savePendingRubricsOfExam(tx, job.institute_id, pending.exam_id);
};

const pin = async (tx: Tx, job: { run_id: string; institute_id: string }, examId: string) => {
  const { rubric_version, ...pinned } = await readCurrentPaper(tx, job.institute_id, examId);
  await tx
    .updateTable('runs')
    .set({ paper: json(pinned), rubric_version })
    .where('institute_id', '=', job.institute_id)
    .where('id', '=', job.run_id)
    .execute();
  return { ...pinned, rubricVersion: rubric_version };
};

/** Returns the paper of an earlier claim, with the rubrics that were generated for the run since. */
const readPinned = async (
  tx: Tx,
  job: { run_id: string; institute_id: string },
  paper: unknown,
): Promise<z.infer<typeof Pinned>> => {
  const pinned = Pinned.parse(paper);
  return { ...pinned, questions: await withPinnedRubrics(tx, job, pinned.questions) };
};

const readRest = async (
  tx: Tx,
  job: { run_id: string; institute_id: string },
  submission: { id: string; exam_id: string; candidate_id: string; upload_id: string | null },
) => {
  const results = await readDecided(tx, job);
  const settled = new Set(results.map(({ question_id }) => question_id));
  const answers = await tx
    .selectFrom('answers')
    .select(['question_id', 'text'])
    .where('institute_id', '=', job.institute_id)
    .where('submission_id', '=', submission.id)
    .execute();
  const pageReadings = await tx
    .selectFrom('page_readings')
    .select(['first_page', 'pages'])
    .where('institute_id', '=', job.institute_id)
    .where('run_id', '=', job.run_id)
    .orderBy('first_page')
    .execute();
  const upload =
    submission.upload_id === null
      ? undefined
      : await tx
          .selectFrom('uploads')
          .select('sealed_key')
          .where('institute_id', '=', job.institute_id)
          .where('id', '=', submission.upload_id)
          .executeTakeFirst();
  return {
    rejudges: await wasGraded(tx, job.institute_id, submission.id),
    candidate: await readCandidate(tx, job.institute_id, submission),
    answers: answers.flatMap(({ question_id, text }) =>
      text === null || settled.has(question_id) ? [] : [{ question_id, text }],
    ),
    pageReadings,
    sealedKey: upload?.sealed_key ?? null,
    results,
    overrides: await readOverrides(tx, job.institute_id, submission.id),
  };
};
