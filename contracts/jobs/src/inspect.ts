import * as z from 'zod/v4';
import { defineJob } from './job.ts';

/** Inspect one sealed upload: whether it is a readable PDF, and its number of pages (docs/architecture.md#uploads). */
export const inspectJob = defineJob({
  name: 'inspect',
  version: 1,
  shape: {
    upload_id: z.guid(),
    institute_id: z.guid(),
    delivery: z.int().min(1),
  },
});

export type InspectJob = z.infer<typeof inspectJob.schema>;
