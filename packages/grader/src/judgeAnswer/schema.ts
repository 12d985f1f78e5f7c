import { z } from 'zod/v4';

const certainty = z
  .enum(['certain', 'likely', 'unsure'])
  .describe('How sure you are that a second careful examiner would decide alike.');
const evidence = z
  .union([z.string().max(2000), z.null()])
  .describe('The words of the answer this rests on, copied exactly; null when there are none.');

/** A long answer: criteria by number, never by name, so that no description of a teacher becomes a JSON key. */
export const criteriaSchema = z.strictObject({
  criteria: z
    .array(
      z.strictObject({
        criterion: z.int().describe('The number of the criterion.'),
        evidence,
        reason: z.string().max(4000).describe('Why this many marks; one or two sentences.'),
        awarded: z.number().describe('Marks, in steps of 0.5, from 0 to the marks of the criterion.'),
        certainty,
      }),
    )
    .max(200),
  feedback: z.string().max(8000).describe('To the student, plain English text without markup.'),
});

/** An objective question on a handwritten copy: what was answered. Right or wrong is decided by code. */
export const readingSchema = z.strictObject({
  status: z.enum(['answered', 'no_answer', 'unclear']),
  evidence,
  option_labels: z
    .array(z.string().max(80))
    .max(30)
    .describe('Labels chosen, copied from the options; [] if there are no options.'),
  value: z
    .union([z.string().max(500), z.null()])
    .describe('The final number or word given; null for a choice among options.'),
  certainty,
  feedback_if_right: z
    .string()
    .max(4000)
    .describe('To the student if the answer proves right; plain English text.'),
  feedback_if_wrong: z
    .string()
    .max(4000)
    .describe('To the student if the answer proves wrong; plain English text.'),
});

export type CriteriaWire = z.infer<typeof criteriaSchema>;
export type ReadingWire = z.infer<typeof readingSchema>;
