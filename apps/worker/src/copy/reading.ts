import type { AlignedAnswer, PageReading } from '@evaluation/grader';
import * as z from 'zod/v4';

/** What earlier deliveries of a run recorded comes back as JSON and is checked like anything else from outside. */

const Box = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });

const Reading: z.ZodType<PageReading> = z.object({
  page: z.int(),
  legibility: z.number(),
  language: z.enum(['en', 'other']),
  blocks: z.array(
    z.object({
      label: z.string().nullable(),
      continues: z.boolean(),
      text: z.string(),
      crossedOut: z.boolean(),
      box: Box,
    }),
  ),
});
export const recordedReading = z.array(Reading);

const Aligned: z.ZodType<AlignedAnswer> = z.object({
  number: z.int(),
  blocks: z.array(z.object({ page: z.int(), block: z.int() })),
});
export const recordedAlignment = z.array(Aligned);
