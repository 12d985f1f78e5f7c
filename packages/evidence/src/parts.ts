import type { CallEvidence } from '@evaluation/grader';
import * as z from 'zod/v4';
import type { FoundAnswer, ReadPage } from './answerTo.ts';
import type { PageFacts } from './copyReviewReasons.ts';
import { MarkedQuestion, PageReading } from '@evaluation/grading-model';

/*
 * What a worker says of each record: what was asked and replied, and what came of it (docs/evidence.md). JSON, kept by its
 * hash, so nothing may be added to a part once it is recorded. Read again it is untrusted input.
 */

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const Call: z.ZodType<CallEvidence> = z.object({
  call: z.enum(['read_pages', 'align_answers', 'judge_answer', 'make_rubric']),
  promptVersion: z.string(),
  provider: z.string(),
  model: z.string(),
  settings: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  promptSha256: sha256,
  images: z.array(z.object({ page: z.int(), sha256 })),
  reply: z.string(),
  refused: z.array(z.string()),
});
export const Calls = z.array(Call).max(100);

const Problems = z.array(z.string()).optional();

const Page: z.ZodType<ReadPage> = PageReading.extend({ problems: Problems });
/** Pages as they were read, checked like anything else from outside. */
export const ReadPages = z.array(Page);

const Found: z.ZodType<FoundAnswer> = z.object({
  number: z.int(),
  blocks: z.array(z.object({ page: z.int(), block: z.int() })),
  problems: Problems,
});
export const FoundAnswers = z.array(Found);

const Facts: z.ZodType<PageFacts> = z.object({ page: z.int(), blank: z.boolean(), damaged: z.boolean() });

/** By which rules of the grader it was settled; evidence from before they had names says nothing. */
const rules = z.string().max(100).optional();

/** A batch of pages. */
export const PagesPart = z.object({ pages: ReadPages, calls: Calls, rules });
export type PagesPart = z.infer<typeof PagesPart>;

/** Which writing answers which question, and what was known of the pages beforehand. */
export const AlignmentPart = z.object({
  facts: z.array(Facts),
  alignment: FoundAnswers,
  calls: Calls,
  rules,
});
export type AlignmentPart = z.infer<typeof AlignmentPart>;

/** One judged answer: the question as it was marked, with a rubric that was generated for it. */
export const QuestionPart = z.object({
  question: MarkedQuestion,
  /** The run whose judgement of the same answer was used again; null: it was judged for this run. */
  reused_from: z.uuid().nullable(),
  calls: Calls,
  rules,
});
export type QuestionPart = z.infer<typeof QuestionPart>;

/** A rubric that the run made for a question without material: the question as it was then, without one. */
export const RubricPart = z.object({ question: MarkedQuestion, calls: Calls, rules });
export type RubricPart = z.infer<typeof RubricPart>;

/** Of what is known of page images, what evidence keeps. */
export const factsOf = (images: readonly PageFacts[]): PageFacts[] =>
  images.map(({ page, blank, damaged }) => ({ page, blank, damaged }));
