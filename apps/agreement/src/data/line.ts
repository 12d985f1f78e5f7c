import * as z from 'zod/v4';
import { RubricEdit } from '@evaluation/rest-contract/schemas';

const marks = z.number().min(0);

/** What a line says of the question; the first line of a question says it all, later ones may leave it out. */
const questionFields = {
  question: z.string().min(1).max(20_000).optional(),
  max_marks: marks.gt(0).max(1000).optional(),
  model_answer: z.string().max(20_000).nullish(),
  /** In the shape of docs/api/rubrics.md#rules. */
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
 * One answer with the marks that people gave it. Unknown fields are refused: a mistyped `human_marks_2` would
 * silently leave out the ceiling.
 */
export const Line = z.strictObject({
  /** Shown beside the line's number where single answers are named. */
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
