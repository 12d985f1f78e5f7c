import { sql } from 'kysely';
import { checkedCopyKey } from '@evaluation/object-store';
import { json, type Tx } from '@evaluation/database';
import { GradingError } from '@evaluation/rest-contract/schemas';
import { finalStatus } from '@evaluation/rules';
import * as z from 'zod/v4';
import type { RunKey } from '../runKey.ts';
import { rememberFile, type UsedUp } from '../uploads/exhaustingFiles.ts';
import { discardCopies, storeCheckedCopy } from '../checkedCopies/storeCheckedCopy.ts';
import { resultsOfRun } from './resultsOfRun.ts';
import { charge, release } from '../credits/ledger.ts';
import { countCredits, countQuestions, countRun } from '../metrics.ts';
import type { Services } from '../services.ts';
import { lockHeldRun, type HeldRun } from '../locks/heldRun.ts';
import { announceStop, stopRun } from './stopRun.ts';
import { noteUsed, UsedByRun } from './usedByRun.ts';
import { asShown, DrawingBytes, ReviewReasons, type FailureOfWorker } from '../workerCalls/workerInput.ts';

/** Time within which a worker must start the PUT of the checked copy. */
const PUT_SECONDS = 600;

const copyKey = (held: HeldRun, submissionId: string): string =>
  checkedCopyKey(held.institute_id, submissionId, held.run_id, held.fence);

/** The key of the copy belongs to this claim, so a worker with an old fence overwrites nothing. */
export const presignCheckedCopy = async (
  services: Services,
  held: HeldRun,
  sizeBytes: number,
): Promise<{ url: string; headers: Record<string, string> }> => {
  const { submission } = await services.database.inTenant(held.institute_id, (tx) =>
    lockHeldRun(tx, held, services.settings.runs.leaseSeconds),
  );
  return services.objects.presignPut(copyKey(held, submission.id), {
    sizeBytes,
    contentType: 'application/pdf',
    expiresInSeconds: PUT_SECONDS,
  });
};

export const Completion = z.object({
  /** Null for typed runs, or if drawing failed. */
  checked_copy: z.object({ size_bytes: DrawingBytes }).nullable(),
  /** Reasons that concern the whole copy. */
  review_reasons: ReviewReasons,
  ...UsedByRun.shape,
});
export type Completion = z.infer<typeof Completion>;

/**
 * Completes a run in one transaction (docs/architecture.md#runs). Needs no exam lock, because the exam does not change.
 * @throws DomainFailure conflict if the run is not held any more
 */
export const completeRun = async (
  services: Services,
  held: HeldRun,
  completion: Completion,
): Promise<void> => {
  const checkedCopy = await storedCopy(services, held, completion);
  const done = await services.database.inTenant(held.institute_id, async (tx) => {
    const { submission, run } = await lockHeldRun(tx, held, services.settings.runs.leaseSeconds);
    const { made, effective } = await resultsOfRun(tx, held.institute_id, {
      id: submission.id,
      current_run_id: held.run_id,
    });
    const questions = await questionsOnPaper(tx, held);
    const decided = new Set(made.map(({ question_id }) => question_id));
    if (questions.some((id) => !decided.has(id))) {
      throw new Error(`run ${held.run_id} was completed before every question was decided`);
    }

    const price = Number(run.price);
    // A run without any mark by the AI has failed and is not charged, even if a teacher marked questions before
    // (decision 010).
    if (finalStatus(made) === 'failed') {
      // The first failed question in the order of the paper, not of recording.
      const first = questions
        .map((id) => made.find(({ question_id }) => question_id === id))
        .find((result) => result?.status === 'failed');
      const error = GradingError.parse(first?.error);
      await endRun(tx, held, { status: 'failed', error, completion });
      await failSubmission(tx, held, submission.id, error);
      await release(tx, held, price);
      return {
        earlier: [],
        credits: 'released' as const,
        outcome: 'failed' as const,
        price,
        made,
        lane: run.lane,
      };
    }

    const revision = submission.marks_revision + 1;
    const reasons = [...new Set([...submission.review_reasons, ...completion.review_reasons])];
    await endRun(tx, held, { status: 'completed', error: null, completion });
    await tx
      .updateTable('submissions')
      .set({
        status: finalStatus(effective),
        graded_at: sql<Date>`clock_timestamp()`,
        credits_charged: String(price),
        needs_review: reasons.length > 0 || effective.some((result) => result.needs_review),
        review_reasons: reasons,
        marks_revision: revision,
        error: null,
      })
      .where('institute_id', '=', held.institute_id)
      .where('id', '=', submission.id)
      .execute();
    const earlier =
      checkedCopy === null
        ? []
        : await storeCheckedCopy(tx, {
            institute_id: held.institute_id,
            submission_id: submission.id,
            marks_revision: revision,
            object_key: checkedCopy.key,
            size_bytes: checkedCopy.sizeBytes,
          });
    await charge(tx, held, price);
    return {
      earlier,
      credits: 'charged' as const,
      outcome: 'completed' as const,
      price,
      made,
      lane: run.lane,
    };
  });
  services.wakeDispatcher();
  await countCredits(services, done.credits, done.price);
  await countRun(services, done.lane, done.outcome);
  await countQuestions(services, done.lane, done.made);
  await discardCopies(services, done.earlier);
};

const questionsOnPaper = async (tx: Tx, held: HeldRun): Promise<string[]> => {
  const { rows } = await sql<{ ids: unknown }>`
    select jsonb_path_query_array(paper, '$.questions[*].id') as ids
    from runs where institute_id = ${held.institute_id} and id = ${held.run_id}`.execute(tx);
  return z.array(z.uuid()).parse(rows[0]?.ids);
};

/** Returns the checked copy if it exists in the object store; the worker's claim alone is not trusted. */
const storedCopy = async (
  services: Services,
  held: HeldRun,
  completion: Completion,
): Promise<{ key: string; sizeBytes: number } | null> => {
  if (completion.checked_copy === null) return null;
  const run = await services.database.inTenant(held.institute_id, (tx) =>
    tx
      .selectFrom('runs')
      .select('submission_id')
      .where('institute_id', '=', held.institute_id)
      .where('id', '=', held.run_id)
      .executeTakeFirst(),
  );
  if (run === undefined) return null;
  const key = copyKey(held, run.submission_id);
  const object = await services.objects.head(key);
  return object === null ? null : { key, sizeBytes: object.sizeBytes };
};

/**
 * Fails a run without a charge; its token usage is stored. @param exhausted the file is not tried again for a day
 * @throws DomainFailure conflict if the run is not held any more
 */
export const failRun = async (
  services: Services,
  held: HeldRun,
  told: z.infer<typeof FailureOfWorker>,
  used?: UsedByRun,
  exhausted?: UsedUp,
): Promise<void> => {
  const error = asShown(told, 'broke_down');
  const failed = await services.database.inTenant(held.institute_id, async (tx) => {
    const { submission, run } = await lockHeldRun(tx, held, services.settings.runs.leaseSeconds);
    await noteUsed(tx, held, used);
    if (exhausted !== undefined) await rememberCopy(tx, held, submission.id, exhausted);
    await endRun(tx, held, { status: 'failed', error, completion: null });
    await failSubmission(tx, held, submission.id, error);
    await release(tx, held, Number(run.price));
    return run;
  });
  services.wakeDispatcher();
  await countCredits(services, 'released', Number(failed.price));
  await countRun(services, failed.lane, 'failed');
};

const rememberCopy = async (
  tx: Tx,
  held: HeldRun,
  submissionId: string,
  exhausted: UsedUp,
): Promise<void> => {
  const upload = await tx
    .selectFrom('uploads')
    .select('sha256')
    .where('institute_id', '=', held.institute_id)
    .where('submission_id', '=', submissionId)
    .executeTakeFirst();
  if (upload?.sha256 != null) await rememberFile(tx, held.institute_id, upload.sha256, exhausted);
};

/** Fails a run without a holder: its deadline has passed, or too many of its leases expired. */
export const failAbandonedRun = async (
  services: Services,
  run: RunKey,
  error: GradingError,
): Promise<void> => {
  const stopped = await services.database.inTenant(run.institute_id, async (tx) => {
    const submission = await tx
      .selectFrom('submissions as s')
      .innerJoin('runs as r', 'r.submission_id', 's.id')
      .select('s.id')
      .where('s.institute_id', '=', run.institute_id)
      .where('r.id', '=', run.run_id)
      .forUpdate('s')
      .executeTakeFirst();
    if (submission === undefined) return null;
    const ended = await stopRun(tx, run, error);
    if (ended === null) return null;
    await failSubmission(tx, { institute_id: run.institute_id }, submission.id, error);
    await release(tx, run, ended.price);
    return ended;
  });
  await announceStop(services, stopped);
};

const endRun = (
  tx: Tx,
  held: HeldRun,
  end: { status: 'completed' | 'failed'; error: GradingError | null; completion: Completion | null },
) =>
  tx
    .updateTable('runs')
    .set({
      status: end.status,
      finished_at: sql<Date>`clock_timestamp()`,
      lease_until: null,
      error: end.error === null ? null : json(end.error),
      ...(end.completion === null
        ? {}
        : { grader: json(end.completion.grader), usage: json(end.completion.usage) }),
    })
    .where('institute_id', '=', held.institute_id)
    .where('id', '=', held.run_id)
    .execute();

const failSubmission = (
  tx: Tx,
  tenant: { institute_id: string },
  submissionId: string,
  error: GradingError,
) =>
  tx
    .updateTable('submissions')
    .set({ status: 'failed', needs_review: true, error: json(error), credits_charged: null, graded_at: null })
    .where('institute_id', '=', tenant.institute_id)
    .where('id', '=', submissionId)
    .execute();
