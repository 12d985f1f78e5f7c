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
 * Records of a worker during grading (docs/architecture.md#runs). Each record is stored at once, so that a redelivered
 * run repeats only the model calls that were in flight. If the same record is sent twice, the first one stays, with its
 * evidence (evidence/storeEvidence.ts).
 */

/** Extends the lease. @throws DomainFailure conflict if the run is not held any more */
export const heartbeat = async (services: Services, held: HeldRun): Promise<void> => {
  await services.database.inTenant(held.institute_id, (tx) =>
    lockHeldRun(tx, held, services.settings.runs.leaseSeconds),
  );
};

/** Advances the visible status: processing → reading → grading, never back. */
export const recordStep = async (services: Services, held: HeldRun, step: GradingStep): Promise<void> => {
  await services.database.inTenant(held.institute_id, async (tx) => {
    const { submission } = await lockHeldRun(tx, held, services.settings.runs.leaseSeconds);
    if (!advances(submission.status, step)) return;
    await updateSubmission(tx, held, submission.id).set({ status: step }).execute();
  });
};

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

/** Records which blocks of the page readings answer which question. */
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

/** Error of a failed question for which the worker sent none. */
const UNTOLD = { code: 'grading_failed' };

/** Sent with a question's result: its evidence, the token usage, and a judgement to cache. */
interface WithQuestion {
  evidence?: unknown;
  used?: UsedByRun | undefined;
  judgement?: MadeJudgement | undefined;
}

/**
 * Records the result of a question. `progress` counts it at once; the result is shown when the run is complete.
 * @returns `standing`: a cached judgement of the same answer that precedes the one that was sent. Then only the token
 * usage is recorded; the worker scores the cached judgement and records that result.
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
      throw new Error(`run ${held.run_id}: recorded a result that its paper does not allow`);
    }
    await noteUsed(tx, held, used);
    if (judgement !== undefined) {
      const { retentionDays } = services.settings.evidence;
      const standing = await keepJudgement(tx, held, result.question_id, judgement, retentionDays);
      if (standing !== null) return { standing };
      // `putEvidence` has marked the run if there is a part; a judgement without a part must be found by
      // `removeEvidence` too.
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

/** Reads the marks of a question from the pinned paper, because workers process untrusted files and are not trusted. */
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
