import * as z from 'zod/v4';
import { defineJob } from './job.ts';

/**
 * A run was cancelled, deleted or replaced: the worker that holds it should abort its model calls at once
 * (docs/architecture.md#stopping-a-run).
 *
 * Broadcast over core NATS without delivery guarantee: only connected workers receive it. It saves time and money only:
 * the fence in PostgreSQL refuses the worker's writes before this is sent, and its next heartbeat fails.
 */
export const runStopped = defineJob({
  name: 'run_stopped',
  version: 1,
  shape: {
    run_id: z.guid(),
    /** The run's fence after the stop: a worker with a lower fence has lost the run. */
    fence: z.int().min(0),
  },
});

export type RunStopped = z.infer<typeof runStopped.schema>;
