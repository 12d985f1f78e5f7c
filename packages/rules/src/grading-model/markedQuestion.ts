import { QuestionType, Rubric } from '@evaluation/rest-contract/schemas';
import * as z from 'zod/v4';

/**
 * A question as a run marks it: its key, and the rubric and model answer of one version. Pinned on the run at its first
 * claim, so that a later edit does not change what the run marks by.
 */
export const MarkedQuestion = z.object({
  id: z.uuid(),
  label: z.string(),
  section: z.string(),
  type: QuestionType,
  text: z.string(),
  max_marks: z.number(),
  negative_marks: z.number(),
  options: z.array(z.object({ label: z.string(), text: z.string() })),
  correct_options: z.array(z.string()),
  answer: z.union([z.number(), z.string(), z.array(z.union([z.number(), z.string()]))]).nullable(),
  model_answer: z.string().nullable(),
  rubric: Rubric.nullable(),
});
export type MarkedQuestion = z.infer<typeof MarkedQuestion>;
