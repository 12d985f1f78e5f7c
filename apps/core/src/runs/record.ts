import { json, type Tx } from '@evaluation/database';
import { advances, type GradingStep } from '@evaluation/rules';
import { sql } from 'kysely';
import * as z from 'zod/v4';
import { keepJudgement, type MadeJudgement, type CachedJudgement } from '../evidence/cachedJudgements.ts';
import { markRunHasEvidence, noteEvidence, putEvidence } from '../evidence/storeEvidence.ts';
import type { Services } from '../services.ts';
import { lockHeldRun, type HeldRun } from '../locks/heldRun.ts';
import { noteUsed, type UsedByRun } from './usedByRun.ts';
import {
  Annotations,
  asShown,
  Criteria,
  ExtractedAnswer,
  FailureOfWorker,
  Feedback,
  ReviewReasons,
} from '../workerCalls/workerInput.ts';

/**
 * What a worker records while it grades (docs/architecture.md#runs). Each record is stored at once, so that a run that is delivered
 * again pays at most for the model calls that were in flight. Recording the same thing twice keeps the first, with what it
 * rests on (evidence/storeEvidence.ts).
 */

/** Extends the lease and nothing else. @throws DomainFailure conflict when the run is not held any more */
export const heartbeat = async (services: Services, held: HeldRun): Promise<void> => {
  await services.database.inTenant(held.institute_id, (tx) =>
    lockHeldRun(tx, held, services.settings.runs.leaseSeconds),
  );
};

/** Moves the visible status forward: processing → reading → grading; never back (docs/api/lifecycle.md#submissions). */
export const recordStep = async (services: Services, held: HeldRun, step: GradingStep): Promise<void> => {
  await services.database.inTenant(held.institute_id, async (tx) => {
    const { submission } = await lockHeldRun(tx, held, services.settings.runs.leaseSeconds);
    if (!advances(submission.status, step)) return;
    await updateSubmission(tx, held, submission.id).set({ status: step }).execute();
  });
};

/** What was read of one batch of pages. */
export const recordPages = async (
  services: Services,
  held: HeldRun,
  batch: { first_page: number; pages: unknown; evidence?: unknown; used?: UsedByRun | undefined },
): Promise<void> => {
  const part = await putEvidence(services, held, batch.evidence);
  await services.database.inTenant(held.institute_id, async (tx) => {
    await lockHeldRun(tx, held, services.settings.runs.leaseSeconds);
    await noteUsed(tx, held, batch.used);
    const inserted = await tx
      .insertInto('page_readings')
      .values({
        institute_id: held.institute_id,
        run_id: held.run_id,
        first_page: batch.first_page,
        pages: json(batch.pages),
      })
      .onConflict((conflict) => conflict.columns(['run_id', 'first_page']).doNothing())
      .returning('first_page')
      .executeTakeFirst();
    if (inserted === undefined) return;
    await noteEvidence(tx, held, { kind: 'pages', ref: String(batch.first_page) }, part);
  });
};

/** Which blocks of the reading answer which question. */
export const recordAlignment = async (
  services: Services,
  held: HeldRun,
  alignment: unknown,
  evidence?: unknown,
  used?: UsedByRun,
): Promise<void> => {
  const part = await putEvidence(services, held, evidence);
  await services.database.inTenant(held.institute_id, async (tx) => {
    await lockHeldRun(tx, held, services.settings.runs.leaseSeconds);
    await noteUsed(tx, held, used);
    const updated = await tx
      .updateTable('runs')
      .set({ alignment: json(alignment) })
      .where('institute_id', '=', held.institute_id)
      .where('id', '=', held.run_id)
      .where('alignment', 'is', null)
      .returning('id')
      .executeTakeFirst();
    if (updated === undefined) return;
    await noteEvidence(tx, held, { kind: 'alignment', ref: '' }, part);
  });
};

export const RecordedQuestion = z.object({
  question_id: z.uuid(),
  status: z.enum(['graded', 'failed', 'not_answered']),
  awarded: z.number().gte(0).nullable(),
  confidence: z.number().gte(0).lte(1).nullable(),
  needs_review: z.boolean(),
  review_reasons: ReviewReasons,
  extracted_answer: ExtractedAnswer.nullable(),
  feedback: Feedback.nullable(),
  criteria: Criteria,
  annotations: Annotations,
  error: FailureOfWorker.nullable(),
});
export type RecordedQuestion = z.infer<typeof RecordedQuestion>;

/** A failed question of which the worker did not say why. */
const UNTOLD = { code: 'grading_failed' };

/** What goes with a question's result: what it rests on, what was used for it, the judgement that others may share. */
interface WithQuestion {
  evidence?: unknown;
  used?: UsedByRun | undefined;
  judgement?: MadeJudgement | undefined;
}

/**
 * One question's result: stored and counted by `progress` at once, shown once the run is complete.
 * @returns `standing`: the judgement of the same answer that came before the one that is sent along. Nothing is recorded
 *   then but what was used: the worker settles that one, and records what it comes to
 */
export const recordQuestion = async (
  services: Services,
  held: HeldRun,
  result: RecordedQuestion,
  { evidence, used, judgement }: WithQuestion = {},
): Promise<{ standing: CachedJudgement | null }> => {
  const part = await putEvidence(services, held, evidence);
  return services.database.inTenant(held.institute_id, async (tx) => {
    const { submission } = await lockHeldRun(tx, held, services.settings.runs.leaseSeconds);
    const max = await maxOnPaper(tx, held, result.question_id);
    if (
      max === null ||
      (result.awarded ?? 0) > max ||
      (result.status !== 'failed' && result.awarded === null)
    ) {
      throw new Error(`run ${held.run_id}: a result that the paper does not allow`);
    }
    await noteUsed(tx, held, used);
    if (judgement !== undefined) {
      const { retentionDays } = services.settings.evidence;
      const standing = await keepJudgement(tx, held, result.question_id, judgement, retentionDays);
      if (standing !== null) return { standing };
      // Otherwise the part has seen to it: whoever sweeps must find the judgement's run.
      if (part === null) await markRunHasEvidence(tx, held);
    }
    const inserted = await tx
      .insertInto('question_results')
      .values({
        institute_id: held.institute_id,
        run_id: held.run_id,
        question_id: result.question_id,
        status: result.status,
        awarded: result.awarded === null ? null : String(result.awarded),
        max: String(max),
        source: result.status === 'graded' ? 'ai' : null,
        confidence: result.confidence === null ? null : String(result.confidence),
        needs_review: result.needs_review,
        review_reasons: result.review_reasons,
        extracted_answer: result.extracted_answer,
        feedback: result.feedback,
        criteria: json(result.criteria),
        annotations: json(result.annotations),
        error:
          result.status === 'failed' ? json(asShown(result.error ?? UNTOLD, 'question_not_graded')) : null,
      })
      .onConflict((conflict) => conflict.columns(['run_id', 'question_id']).doNothing())
      .returning('question_id')
      .executeTakeFirst();
    if (inserted === undefined) return { standing: null };
    await noteEvidence(tx, held, { kind: 'question', ref: result.question_id }, part);
    await updateSubmission(tx, held, submission.id)
      .set({ questions_done: sql<number>`questions_done + 1` })
      .execute();
    return { standing: null };
  });
};

/** The paper is pinned on the run, so a worker, which touches what is untrusted, is not asked. */
const maxOnPaper = async (tx: Tx, held: HeldRun, questionId: string): Promise<number | null> => {
  const { rows } = await sql<{ max: unknown }>`
    select jsonb_path_query_first(paper, '$.questions[*] ? (@.id == $id).max_marks',
      jsonb_build_object('id', ${questionId}::text)) as max
    from runs where institute_id = ${held.institute_id} and id = ${held.run_id}`.execute(tx);
  return z
    .number()
    .nullable()
    .parse(rows[0]?.max ?? null);
};

const updateSubmission = (tx: Tx, held: HeldRun, submissionId: string) =>
  tx.updateTable('submissions').where('institute_id', '=', held.institute_id).where('id', '=', submissionId);
