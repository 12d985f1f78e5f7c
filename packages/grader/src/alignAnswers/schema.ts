import * as z from 'zod/v4';

export const alignmentSchema = z.strictObject({
  answers: z
    .array(
      z.strictObject({
        number: z.int().describe('The number of the question.'),
        blocks: z
          .array(z.strictObject({ page: z.int(), block: z.int() }))
          .max(1000)
          .describe('Every block that belongs to the answer.'),
      }),
    )
    .max(500),
});

export type AlignmentWire = z.infer<typeof alignmentSchema>;
