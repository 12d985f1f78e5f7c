import * as z from 'zod/v4';
import { CheckedCopy, CheckedCopyPlan, DrawnPage, Inspection, PageImage } from './types.ts';

/** Parent to child: one job after each "ready". */
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
    target: z.string(),
    plan: CheckedCopyPlan,
    pages: z.array(DrawnPage),
  }),
]);
export type Job = z.infer<typeof Job>;

/** Child to parent: any number of the first two kinds, then exactly one of the others. */
export const Report = z.discriminatedUnion('kind', [
  /** Sent before native code reads bytes of the upload: from then on the parent gives this child no other job. */
  z.object({ kind: z.literal('native') }),
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

/** Programs of a child. `read` opens uploads; `draw` opens none. */
export type Role = 'read' | 'draw';

export const roleOf = (job: Job): Role => (job.kind === 'draw' ? 'draw' : 'read');
