/**
 * What `judge_answer/2` was, so that evidence of it replays: a list of criteria, and marks as any number. Nothing is asked
 * by it any more.
 */
import { z } from 'zod/v4';

export const VERSION_2 = 'judge_answer/2';

/** The line of the system prompt that `judge_answer/3` has in other words. */
export const AWARD_RULE_2 = "Award each criterion once, by its number, on the candidate's own words only.";

/** A long answer: a list of criteria by number. */
export const criteriaSchema2 = z.strictObject({
  criteria: z
    .array(
      z.strictObject({
        criterion: z.int().describe('The number of the criterion.'),
        evidence: z
          .union([z.string().max(2000), z.null()])
          .describe('The words of the answer this rests on, copied exactly; null when there are none.'),
        reason: z.string().max(4000).describe('Why this many marks; one or two sentences.'),
        awarded: z.number().describe('Marks, in steps of 0.5, from 0 to the marks of the criterion.'),
        certainty: z
          .enum(['certain', 'likely', 'unsure'])
          .describe('How sure you are that a second careful examiner would decide alike.'),
      }),
    )
    .max(200),
  feedback: z.string().max(8000).describe('To the student, plain English text without markup.'),
});
