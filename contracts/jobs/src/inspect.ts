import * as z from 'zod/v4';
import { defineJob } from './job.ts';

/** Inspect one sealed upload: is it a PDF we can read, and how many pages has it (docs/architecture.md#uploads). */
export const inspectJob = defineJob({
  name: 'inspect',
  version: 1,
  shape: {
    upload_id: z.guid(),
    institute_id: z.guid(),
    /** As in the run job. */
    delivery: z.int().min(1),
  },
});

export type InspectJob = z.infer<typeof inspectJob.schema>;
