import * as z from 'zod/v4';
import { RubricEdit } from '@evaluation/rest-contract/schemas';

const marks = z.number().min(0);

/** Fields of a question; required on its first line, optional on later ones. */
const questionFields = {
  question: z.string().min(1).max(20_000).optional(),
  max_marks: marks.gt(0).max(1000).optional(),
  model_answer: z.string().max(20_000).nullish(),
  /** Same shape as in docs/api/rubrics.md#rules. */
  rubric: RubricEdit.nullish(),
  exam: z
    .strictObject({
      subject: z.string().max(120).nullish(),
      level: z.string().max(16).nullish(),
      board: z.string().max(64).nullish(),
      class: z.string().max(32).nullish(),
      instructions: z.string().max(4000).nullish(),
    })
    .nullish(),
};

/**
 * One answer with its human marks. Unknown fields are refused, because a mistyped `human_marks_2` would otherwise be
 * ignored silently.
 */
export const Line = z.strictObject({
  /** Printed with the line number where the report names single answers. */
  id: z.string().min(1).max(128).optional(),
  question_id: z.string().min(1).max(128),
  ...questionFields,
  answer: z.string().max(20_000),
  human_marks: marks,
  human_marks_2: marks.nullish(),
  group: z.string().min(1).max(64).nullish(),
});
export type Line = z.infer<typeof Line>;

export const QUESTION_FIELDS = ['question', 'max_marks', 'model_answer', 'rubric', 'exam'] as const;
