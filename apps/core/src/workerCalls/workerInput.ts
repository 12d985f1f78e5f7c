import { shownFailure, type GradingFailure } from '@evaluation/rest-contract/grading-failures';
import { Box, type GradingError } from '@evaluation/rest-contract/schemas';
import { MAX_PAGES } from '@evaluation/rules';
import * as z from 'zod/v4';

/*
 * Bounds of what a worker sends. A worker bounds its own records and touches hostile files, so core bounds them again: about
 * twice the most that an honest worker sends, since a newer worker may send a little more. Lengths are in UTF-16 units.
 */

/** Twice what a paper may have. */
const MOST_QUESTIONS = 400;

/** Of a record that core stores as it came and does not look into. */
const MAX_JSON_BYTES = 8 * 1024 * 1024;

/**
 * What evidence is made of. Not bounded here but by the body (`start.ts`): what is too large to keep is dropped with a
 * warning (evidence/storeEvidence.ts), because the mark is worth more than its proof.
 */
export const UncheckedEvidence = z.unknown().meta({ boundedBy: 'body' });

const fitsInJson = (value: unknown): boolean =>
  Buffer.byteLength(JSON.stringify(value) ?? '') <= MAX_JSON_BYTES;

/** A list of any JSON values. */
const jsonList = (most: number) =>
  z
    .array(z.unknown().meta({ boundedBy: 'list' }))
    .max(most)
    .refine(fitsInJson);

/** Of one batch; read in any order. */
export const FirstPage = z.int().gte(1).lte(MAX_PAGES);
export const PageReadings = jsonList(MAX_PAGES);

/** Of each question of the paper. */
export const Alignment = jsonList(MOST_QUESTIONS);

/** A word of our own, such as `low_confidence`; never a sentence. */
const ReviewReason = z
  .string()
  .max(64)
  .regex(/^[a-z][a-z0-9_]*$/);
export const ReviewReasons = z.array(ReviewReason).max(50);

/** An answer is cut at 60,000 by workers. */
export const ExtractedAnswer = z.string().max(100_000);
export const Feedback = z.string().max(8000);

const CriterionOfWorker = z.object({
  name: z.string().max(1000),
  awarded: z.number().nullable(),
  max: z.number().nullable(),
  reason: z.string().max(2000).nullable(),
});
/** A rubric has 50 at most. */
export const Criteria = z.array(CriterionOfWorker).max(100);

const AnnotationOfWorker = z.object({
  page: z.int().gte(1).lte(MAX_PAGES),
  kind: z.enum(['tick', 'cross', 'mark', 'comment']),
  box: Box,
  text: z.string().max(500),
});
export const Annotations = z.array(AnnotationOfWorker).max(200);

/** Why a run or a question failed: a reason, whose words stand in a table. Words of a worker are never shown. */
export const FailureOfWorker = z.object({
  reason: z.string().max(64).optional(),
  /** Sent besides for cores of release 0.1.0, and alone by its workers. */
  code: z.string().max(64),
  message: z.string().max(1000).optional(),
});

/** @param otherwise what is shown of a reason and a code that core does not know */
export const asShown = (failure: z.infer<typeof FailureOfWorker>, otherwise: GradingFailure): GradingError =>
  shownFailure(failure, otherwise);

/** Far above the largest scan with a drawing on it. */
export const DrawingBytes = z
  .int()
  .gte(1)
  .lte(1024 ** 3);
