import * as z from 'zod/v4';
import { CandidateInput } from './candidate.ts';
import {
  clientObject,
  flag,
  givenId,
  listOf,
  listQuery,
  reserved,
  timestamp,
  uuid,
  Warning,
} from './primitives.ts';

export const SubmissionStatus = z.enum([
  'queued',
  'processing',
  'reading',
  'grading',
  'graded',
  'partially_graded',
  'failed',
  'cancelled',
]);
export type SubmissionStatus = z.infer<typeof SubmissionStatus>;

/** See docs/api/submissions.md#fields. Labels are compared ignoring case. */
export const AnswerInput = z
  .object({
    question_id: givenId.nullish(),
    question_label: z.string().nullish(),
    option_labels: z.array(z.string()).max(26).nullish(),
    text: z.string().nullish(),
  })
  .meta({ id: 'AnswerInput', description: 'The answer to one question of a typed exam.' });
export type AnswerInput = z.infer<typeof AnswerInput>;

export const SubmissionCreate = z
  .object({
    candidate: CandidateInput.nullish(),
    candidate_id: givenId.nullish(),
    upload_id: givenId.nullish(),
    answers: z.array(AnswerInput).max(1000).nullish(),
    replace: z.boolean().nullish().meta({
      description: "Replace the candidate's live submission, unless it is finalized. Default false.",
    }),
    metadata: clientObject.nullish(),
    images: reserved('Photos'),
  })
  .meta({
    id: 'SubmissionCreate',
    description: 'A scanned copy (`upload_id`) or typed `answers` of one candidate.',
  });
export type SubmissionCreate = z.infer<typeof SubmissionCreate>;

/** Price of the submission: per page if handwritten, per long answer if typed (docs/api/credits.md#prices). */
export const SubmissionQuote = z
  .object({
    unit: z.enum(['page', 'answer']),
    pages: z.int().optional(),
    credits: z.number(),
    rate_source: z.enum(['standard', 'contract']),
  })
  .meta({ id: 'SubmissionQuote' });
export type SubmissionQuote = z.infer<typeof SubmissionQuote>;

export const GradingError = z.object({ code: z.string(), message: z.string() }).meta({ id: 'GradingError' });
export type GradingError = z.infer<typeof GradingError>;

export const Submission = z
  .object({
    id: uuid,
    exam_id: uuid,
    candidate: z.object({ id: uuid, external_id: z.string() }).meta({ id: 'SubmissionCandidate' }),
    state: z.enum(['live', 'replaced', 'deleted']),
    replaced_by: uuid.optional(),
    status: SubmissionStatus,
    lane: z.enum(['copy', 'typed']),
    pages: z.int().nullable(),
    needs_review: z.boolean(),
    review_reasons: z.array(z.string()),
    finalized: z.boolean(),
    finalized_at: timestamp.nullable(),
    progress: z
      .object({
        step: z.string().meta({ description: 'Informational only: do not branch on it.' }),
        questions_done: z.int(),
        questions_total: z.int(),
        estimated_ready_at: timestamp.optional(),
      })
      .meta({ id: 'Progress' })
      .nullable(),
    queue: z
      .object({ position: z.int(), estimated_ready_at: timestamp })
      .meta({ id: 'QueuePlace' })
      .nullable(),
    attempt_count: z.int(),
    rubric_version: z.int().nullable(),
    credits_charged: z.number().nullable(),
    error: GradingError.nullable(),
    metadata: z.record(z.string(), z.unknown()).nullable(),
    quote: SubmissionQuote,
    warnings: z.array(Warning),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Submission' });
export type Submission = z.infer<typeof Submission>;

export const SubmissionList = listOf(Submission).meta({ id: 'SubmissionList' });
export type SubmissionList = z.infer<typeof SubmissionList>;

export const FeedQuery = z.object(listQuery(200, 50));
export type FeedQuery = z.infer<typeof FeedQuery>;

export const ExamSubmissionsQuery = z.object({
  ...listQuery(200, 50),
  finalized: flag.optional(),
  needs_review: flag.optional(),
});
export type ExamSubmissionsQuery = z.infer<typeof ExamSubmissionsQuery>;

/** See docs/api/submissions.md#submit. Name of the boolean: open point `re-evaluate-body`. */
export const ReEvaluate = z
  .object({
    keep_overrides: z
      .boolean()
      .nullish()
      .meta({ description: 'Keep the marks that a teacher overrode. Default true.' }),
    question_ids: reserved('Evaluations of single questions'),
  })
  .meta({ id: 'ReEvaluate' });
export type ReEvaluate = z.infer<typeof ReEvaluate>;
