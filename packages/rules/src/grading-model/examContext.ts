import * as z from 'zod/v4';

/** The exam as a grader sees it. Field order is part of the key of a cached judgement: a new field comes last. */
export const ExamContext = z.object({
  subject: z.string().nullable(),
  level: z.string(),
  board: z.string().nullable(),
  class: z.string().nullable(),
  instructions: z.string().nullable(),
});
export type ExamContext = z.infer<typeof ExamContext>;
