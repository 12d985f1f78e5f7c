import type { CallEvidence } from '../index.ts';
import { ExampleOfVersion, GuideConstants } from '@evaluation/guide';
import * as z from 'zod/v4';
import type { FoundAnswer, ReadPage } from './answerTo.ts';
import type { PageFacts } from './copyReviewReasons.ts';
import { MarkedQuestion, RecordedPage } from '@evaluation/rules/grading-model';

/*
 * Content of recorded parts (docs/evidence.md). A part is stored under its hash: parsing a recorded part must not add
 * or change a field.
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

const Page: z.ZodType<ReadPage> = RecordedPage.extend({ problems: Problems });
export const ReadPages = z.array(Page);

const Found: z.ZodType<FoundAnswer> = z.object({
  number: z.int(),
  blocks: z.array(z.object({ page: z.int(), block: z.int() })),
  isDoubtful: z.boolean().optional(),
  problems: Problems,
});
export const FoundAnswers = z.array(Found);

const Facts: z.ZodType<PageFacts> = z.object({
  page: z.int(),
  state: z.enum(['written', 'doubtful', 'clean', 'not_drawn']),
});

/** The release that made the part. */
const release = z.string().max(100);

export const PagesPart = z.object({ pages: ReadPages, calls: Calls, release });
export type PagesPart = z.infer<typeof PagesPart>;

/** The alignment of blocks to questions, and the facts about pages known before reading. */
export const AlignmentPart = z.object({
  facts: z.array(Facts),
  alignment: FoundAnswers,
  calls: Calls,
  release,
});
export type AlignmentPart = z.infer<typeof AlignmentPart>;

/** One judged answer, with the question as marked, including a rubric that the run made for it. */
export const QuestionPart = z.object({
  question: MarkedQuestion,
  /** The run whose judgement of the same answer was reused; null: judged for this run. */
  reused_from: z.uuid().nullable(),
  /**
   * Marked answers of other candidates in the prompt, by the hash of their texts, and the version of the guide that
   * has them; absent without any.
   */
  examples: z
    .array(z.object({ sha256, awarded: z.number(), guide_version: z.int().optional() }))
    .max(6)
    .optional(),
  calls: Calls,
  release,
});
export type QuestionPart = z.infer<typeof QuestionPart>;

/** A rubric that the run made for a question without rubric and model answer, and that question as it was before. */
export const RubricPart = z.object({ question: MarkedQuestion, calls: Calls, release });
export type RubricPart = z.infer<typeof RubricPart>;

const Example = ExampleOfVersion.extend({
  /** The answer; null if it was erased since. */
  text: z.string().nullable(),
});

/** The version of a guide that set the mark of a question, and what decided whether the mark passes without review. */
export const GuidePart = z.object({
  version: z.int(),
  /** Hash of constants and examples, which identifies the version. */
  sha256,
  constants: GuideConstants,
  examples: z.array(Example).max(1000),
  /** Lowest agreement at which a mark passes without review; null if no mark may pass. */
  threshold: z.number().nullable(),
});
export type GuidePart = z.infer<typeof GuidePart>;

export const factsOf = (images: readonly PageFacts[]): PageFacts[] =>
  images.map(({ page, state }) => ({ page, state }));
