import { Box } from '@evaluation/rest-contract/schemas';
import { MAX_PAGES, RECORD_BOUNDS } from '@evaluation/rules';
import { Turn } from '@evaluation/rules/grading-model';
import * as z from 'zod/v4';

/*
 * Bounds of the input of workers, which process untrusted files. Results of questions have the bounds that the grader
 * cuts to (`RECORD_BOUNDS`); others are about twice the most that a correct worker sends. Lengths are in UTF-16 units.
 */

/** Twice the questions of a paper. */
export const MOST_QUESTIONS = 400;

/** Bound of records that core stores without reading them. */
const MAX_JSON_BYTES = 8 * 1024 * 1024;

/**
 * Evidence: any JSON, bounded by the size of the body (`start.ts`). `putEvidence` drops a part that is too large,
 * because a mark is recorded even without its evidence.
 */
export const UncheckedEvidence = z.unknown().meta({ boundedBy: 'body' });

const fitsInJson = (value: unknown): boolean =>
  Buffer.byteLength(JSON.stringify(value) ?? '') <= MAX_JSON_BYTES;

const jsonList = (most: number) =>
  z
    .array(z.unknown().meta({ boundedBy: 'list' }))
    .max(most)
    .refine(fitsInJson);

/** First page of a batch; batches may be recorded in any order. */
export const FirstPage = z.int().gte(1).lte(MAX_PAGES);
export const PageReadings = jsonList(MAX_PAGES);

/** One entry for each question of the paper. */
export const Alignment = jsonList(MOST_QUESTIONS);

/** An identifier such as `low_confidence`; never free text. */
const ReviewReason = z
  .string()
  .max(64)
  .regex(/^[a-z][a-z0-9_]*$/);
export const ReviewReasons = z.array(ReviewReason).max(50);

export const ExtractedAnswer = z.string().max(RECORD_BOUNDS.extractedAnswer);
export const Feedback = z.string().max(RECORD_BOUNDS.feedback);

const CriterionOfWorker = z.object({
  name: z.string().max(RECORD_BOUNDS.criterionName),
  awarded: z.number().nullable(),
  max: z.number().nullable(),
  reason: z.string().max(RECORD_BOUNDS.reason).nullable(),
  /** Words quoted from the answer. */
  evidence: z.string().max(RECORD_BOUNDS.quotation).nullish(),
});
export const Criteria = z.array(CriterionOfWorker).max(RECORD_BOUNDS.criteria);

const AnnotationOfWorker = z.object({
  page: z.int().gte(1).lte(MAX_PAGES),
  kind: z.enum(['tick', 'cross', 'mark', 'comment']),
  box: Box,
  text: z.string().max(RECORD_BOUNDS.annotation),
});
export const Annotations = z.array(AnnotationOfWorker).max(RECORD_BOUNDS.annotations);

/** Failure of a run or question. It selects a text of `gradingFailures`; texts of a worker are never shown. */
export const FailureOfWorker = z.object({ reason: z.string().max(64) });

export const DrawingBytes = z
  .int()
  .gte(1)
  .lte(1024 ** 3);

const PictureSide = z.int().gte(1).lte(65_535);

/** Places of the pages' pictures in the file of a checked copy (packages/pdf, `PagePicture`). */
export const PagePictures = z
  .array(
    z.object({
      offset: DrawingBytes,
      length: DrawingBytes,
      width: PictureSide,
      height: PictureSide,
      rotation: z.literal([0, 90, 180, 270]),
      drawn: z.boolean(),
    }),
  )
  .max(MAX_PAGES);
export type PagePictures = z.infer<typeof PagePictures>;

/** Pages that were scanned sideways or upside down, with the turn that makes them upright. */
export const TurnedPages = z
  .array(z.object({ page: z.int().gte(1).lte(MAX_PAGES), turn: Turn }))
  .max(MAX_PAGES);
