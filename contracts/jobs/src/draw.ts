import * as z from 'zod/v4';
import { defineJob } from './job.ts';

/**
 * Draw the checked copy of a submission again after a teacher changed its marks (docs/architecture.md#checked-copy).
 */
export const drawJob = defineJob({
  name: 'draw',
  version: 1,
  shape: {
    submission_id: z.guid(),
    institute_id: z.guid(),
    /**
     * Number of this release, unique over all requests for the submission; a message with another number is out of
     * date.
     */
    delivery: z.int().min(1),
  },
});

export type DrawJob = z.infer<typeof drawJob.schema>;
