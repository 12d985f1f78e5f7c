import * as z from 'zod/v4';
import { flag, include, listOf, listQuery, timestamp, uuid } from './primitives.ts';
import { GradingError, SubmissionStatus } from './submission.ts';

/** A place on a page, in fractions of the viewed page; origin top left. */
export const Box = z
  .object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() })
  .meta({ id: 'Box' });
export type Box = z.infer<typeof Box>;

export const Annotation = z
  .object({ page: z.int(), kind: z.enum(['tick', 'cross', 'mark', 'comment']), box: Box, text: z.string() })
  .meta({ id: 'Annotation' });
export type Annotation = z.infer<typeof Annotation>;

export const CriterionResult = z
  .object({
    name: z.string(),
    awarded: z.number().nullable(),
    max: z.number().nullable(),
    reason: z.string().nullable(),
  })
  .meta({ id: 'CriterionResult' });
export type CriterionResult = z.infer<typeof CriterionResult>;

export const QuestionResult = z
  .object({
    question_id: uuid,
    label: z.string(),
    section: z.string().nullable(),
    status: z.enum(['graded', 'failed', 'pending', 'cancelled', 'not_answered']),
    counted: z.boolean(),
    awarded: z.number().nullable(),
    max: z.number(),
    source: z.enum(['ai', 'ai_reviewed', 'auto']).nullable(),
    confidence: z.number().nullable(),
    needs_review: z.boolean(),
    review_reasons: z.array(z.string()),
    extracted_answer: z.string().nullable().optional(),
    feedback: z.string().nullable(),
    criteria: z.array(CriterionResult),
    model_answer: z.string().nullable().optional(),
    annotations: z.array(Annotation).optional(),
    review: z
      .object({
        reviewer: z
          .object({ ref: z.string().nullable(), name: z.string().nullable() })
          .meta({ id: 'Reviewer' }),
        reason: z.string().nullable(),
        edited: z.boolean(),
        edited_at: timestamp.nullable(),
        approved: z.boolean(),
      })
      .meta({ id: 'QuestionReview' }),
    error: GradingError.nullable(),
  })
  .meta({ id: 'QuestionResult' });
export type QuestionResult = z.infer<typeof QuestionResult>;

/** See docs/api/results.md#fields. */
export const Result = z
  .object({
    submission_id: uuid,
    exam_id: uuid,
    candidate: z
      .object({
        id: uuid,
        external_id: z.string(),
        name: z.string().nullable(),
        roll_number: z.string().nullable(),
      })
      .meta({ id: 'ResultCandidate' }),
    status: SubmissionStatus,
    needs_review: z.boolean(),
    review_reasons: z.array(z.string()),
    finalized: z.boolean(),
    finalized_at: timestamp.nullable(),
    rubric_version: z.int().nullable(),
    totals: z
      .object({
        awarded: z.number(),
        max: z.number(),
        percentage: z.number().nullable(),
        questions_graded: z.int(),
        questions_failed: z.int(),
      })
      .meta({ id: 'Totals' }),
    questions: z.array(QuestionResult),
    checked_copy: z
      .object({ available: z.boolean(), download_path: z.string().nullable() })
      .meta({ id: 'CheckedCopy' }),
    graded_at: timestamp.nullable(),
    credits_charged: z.number().nullable(),
    error: GradingError.nullable(),
  })
  .meta({ id: 'Result' });
export type Result = z.infer<typeof Result>;

const parts = include('annotations', 'model_answer', '-extracted_answer');

export const ResultQuery = z.object({ include: parts });
export type ResultQuery = z.infer<typeof ResultQuery>;

export const ResultList = listOf(Result).meta({ id: 'ResultList' });
export type ResultList = z.infer<typeof ResultList>;

export const ExamResultsQuery = z.object({
  ...listQuery(50, 20),
  format: z
    .enum(['json', 'csv'])
    .refine((format) => format !== 'csv', {
      error: 'CSV results are not available.',
      params: { failure: 'feature_not_available' },
    })
    .optional(),
  finalized: flag.optional(),
  include: parts,
});
export type ExamResultsQuery = z.infer<typeof ExamResultsQuery>;
