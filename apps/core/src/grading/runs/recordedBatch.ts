import { MAX_PAGES } from '@evaluation/rules';
import * as z from 'zod/v4';
import { JudgementKey, MadeJudgement } from '../evidence/cachedJudgements.ts';
import {
  Alignment,
  Annotations,
  Criteria,
  ExtractedAnswer,
  FailureOfWorker,
  Feedback,
  FirstPage,
  MOST_QUESTIONS,
  PageReadings,
  ReviewReasons,
  UncheckedEvidence,
} from '../../command/workerCalls/workerInput.ts';
import { Completion } from './completion.ts';
import { UsedByRun } from './usedByRun.ts';

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

/** Evidence of a record: any JSON. Absent if the record has none. */
const Evidence = UncheckedEvidence.optional();

/** What a worker has made since its last call. All of it is recorded in one transaction. */
export const RecordedBatch = z.object({
  step: z.enum(['processing', 'reading', 'grading']).optional(),
  pages: z
    .array(z.object({ first_page: FirstPage, pages: PageReadings, evidence: Evidence }))
    .max(MAX_PAGES)
    .default([]),
  alignment: z.object({ alignment: Alignment, evidence: Evidence }).optional(),
  questions: z
    .array(z.object({ result: RecordedQuestion, evidence: Evidence, judgement: MadeJudgement.optional() }))
    .max(MOST_QUESTIONS)
    .default([]),
  /** Token usage of the run so far. */
  used: UsedByRun.optional(),
  /** Judgements to look up in the cache. */
  find: z.array(JudgementKey).max(MOST_QUESTIONS).default([]),
  /** Completes the run, unless `standing` has to be recorded first. */
  completion: Completion.optional(),
});
export type RecordedBatch = z.infer<typeof RecordedBatch>;
