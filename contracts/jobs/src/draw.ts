import * as z from 'zod/v4';
import { defineJob } from './job.ts';

/** Draws the checked copy again after a change of marks (docs/architecture.md#checked-copy). */
export const drawJob = defineJob({
  name: 'draw',
  version: 1,
  shape: {
    submission_id: z.guid(),
    institute_id: z.guid(),
    /** Unique over all requests for the submission; a message with another number is out of date. */
    delivery: z.int().min(1),
  },
});

export type DrawJob = z.infer<typeof drawJob.schema>;
