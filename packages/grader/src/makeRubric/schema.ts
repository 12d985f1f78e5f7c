import { MARK_STEP } from '@evaluation/rules';
import * as z from 'zod/v4';

export const rubricSchema = z.strictObject({
  criteria: z
    .array(
      z.strictObject({
        name: z.string().max(400).describe('A few words that a teacher would use.'),
        marks: z.number().describe(`Marks of the criterion, in steps of ${MARK_STEP}.`),
        keywords: z.array(z.string().max(400)).max(100).describe('Words that a right answer may hold.'),
        guidance: z.string().max(4000).describe('What earns the criterion. No figures of marks.'),
      }),
    )
    .max(50),
});

export type RubricWire = z.infer<typeof rubricSchema>;
