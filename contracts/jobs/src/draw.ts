import * as z from 'zod/v4';
import { defineJob } from './job.ts';

/** Draw the checked copy of a submission anew: a teacher has changed its marks (docs/architecture.md#checked-copy). */
export const drawJob = defineJob({
  name: 'draw',
  version: 1,
  shape: {
    submission_id: z.guid(),
    institute_id: z.guid(),
    /** Which release of which request: never used twice, so whoever has another one has an old message. */
    delivery: z.int().min(1),
  },
});

export type DrawJob = z.infer<typeof drawJob.schema>;
