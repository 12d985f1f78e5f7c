import * as z from 'zod/v4';
import { CheckedCopy, CheckedCopyPlan, Inspection, PageImage } from './types.ts';

/** Parent to child: exactly one job. */
export const Job = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('inspect'), file: z.string() }),
  z.object({
    kind: z.literal('extract'),
    file: z.string(),
    outDir: z.string(),
    firstPage: z.int().min(1),
    lastPage: z.int().min(1).nullable(),
    longSide: z.int().min(64).max(8192),
  }),
  z.object({
    kind: z.literal('draw'),
    source: z.string(),
    target: z.string(),
    plan: CheckedCopyPlan,
    pageImages: z.array(PageImage),
  }),
]);
export type Job = z.infer<typeof Job>;

/** Child to parent: any number of pages in order, then exactly one of the other kinds. */
export const Report = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('page'), page: PageImage }),
  z.object({ kind: z.literal('inspected'), inspection: Inspection }),
  z.object({ kind: z.literal('extracted') }),
  z.object({ kind: z.literal('drawn'), copy: CheckedCopy }),
  z.object({
    kind: z.literal('failed'),
    code: z.enum(['unreadable', 'out_of_memory']),
    message: z.string(),
  }),
]);
export type Report = z.infer<typeof Report>;
