import * as z from 'zod/v4';
import { defineJob } from './job.ts';

/**
 * Grade one run of a submission (docs/architecture.md#runs). The lane decides the kind: `copy` or `typed`.
 *
 * The message carries ids only. `claim` returns the present material of the run, so a message that arrives late, twice,
 * or after a cancel does no harm.
 */
export const runJob = defineJob({
  name: 'run',
  version: 1,
  shape: {
    run_id: z.guid(),
    institute_id: z.guid(),
    /** 1 for the first release of the run, +1 each time PostgreSQL releases it again. Part of the message id. */
    delivery: z.int().min(1),
  },
});

export type RunJob = z.infer<typeof runJob.schema>;
