import * as z from 'zod/v4';

const box = z.strictObject({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });

/** Judgements about a page come after its transcription. Bounds leave room beyond a full handwritten page. */
export const pagesSchema = z.strictObject({
  pages: z
    .array(
      z.strictObject({
        page: z.int().describe('The number given above the image.'),
        top: z
          .enum(['top', 'right', 'bottom', 'left'])
          .describe('The edge of the image where the top of the writing is; top for an upright page.'),
        blocks: z
          .array(
            z.strictObject({
              label: z
                .union([z.string().max(80), z.null()])
                .describe('The question number exactly as written beside the block; null when none is.'),
              continues: z.boolean().describe('It goes on with the answer of the block before it.'),
              text: z.string().max(20_000).describe('What is written, letter by letter.'),
              crossed_out: z.boolean(),
              box: box.describe('Fractions of the image, 0..1, origin top left.'),
            }),
          )
          .max(300),
        printed: z
          .array(box)
          .max(100)
          .describe('Places of print and of other ink that is no writing of the candidate.'),
        legibility: z.number().describe('0 = nothing can be read, 1 = every word is clear.'),
        language: z.enum(['en', 'other']).describe('other: most of the writing is not English.'),
      }),
    )
    .max(80),
});

export type PagesWire = z.infer<typeof pagesSchema>;
