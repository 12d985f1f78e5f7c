import * as z from 'zod/v4';
import {
  clientId,
  clientObject,
  longText,
  maxMarks,
  requiredLongText,
  requiredShortText,
  shortText,
  uuid,
} from './primitives.ts';
import { Rubric } from './rubric.ts';

export const QuestionType = z.enum([
  'mcq_single',
  'mcq_multi',
  'true_false',
  'numeric',
  'one_word',
  'long_answer',
]);
export type QuestionType = z.infer<typeof QuestionType>;

/**
 * Spec 2.2: the fields and their limits. What ties fields together (the key that a type needs, labels that must
 * exist, marks that must add up) is decided by `packages/rules`, which sees the whole paper.
 */
export const QuestionInput = z
  .object({
    label: requiredShortText(16),
    parent_label: shortText(16).nullish(),
    section: shortText(64).nullish(),
    type: QuestionType,
    text: requiredLongText(20_000),
    max_marks: maxMarks,
    negative_marks: z.number().gte(0).lte(1000).nullish(),
    options: z
      .array(z.object({ label: requiredShortText(16), text: longText(2000) }))
      .min(2)
      .max(26)
      .nullish(),
    correct_options: z.array(z.string()).min(1).max(26).nullish(),
    answer: z
      .union([
        z.number(),
        longText(255),
        z
          .array(z.union([z.number(), longText(255)]))
          .min(1)
          .max(100),
      ])
      .nullish(),
    model_answer: longText(20_000).nullish(),
    rubric: Rubric.nullish(),
    word_limit: z.int().gt(0).lte(1_000_000).nullish(),
    expects_diagram: z.boolean().nullish(),
    assess_language: z.boolean().nullish(),
    tags: clientObject.nullish(),
    external_id: clientId.nullish(),
  })
  .meta({ id: 'QuestionInput', description: 'A question of the paper, with its answer key or its rubric.' });
export type QuestionInput = z.infer<typeof QuestionInput>;

/** A question as the exam lists it (spec 2.1); `options` only for choice types. */
export const CompactQuestion = z
  .object({
    id: uuid,
    label: z.string(),
    section: z.string(),
    max_marks: z.number(),
    options: z.array(z.object({ label: z.string(), option_id: uuid })).optional(),
  })
  .meta({ id: 'CompactQuestion' });
export type CompactQuestion = z.infer<typeof CompactQuestion>;
