import * as z from 'zod/v4';
import { defineJob } from './job.ts';

/**
 * A run was cancelled, deleted or replaced: whoever holds it should abort its model calls at once (docs/architecture.md#stopping-a-run).
 *
 * Broadcast over core NATS, heard by whoever is connected now and by nobody later. It only saves time and money: the
 * fence in PostgreSQL has refused the old worker's writes since before this was sent, and its next heartbeat says so.
 */
export const runStopped = defineJob({
  name: 'run_stopped',
  version: 1,
  shape: {
    run_id: z.guid(),
    /** The run's fence after the stop: a worker that holds a lower one has lost the run. */
    fence: z.int().min(0),
  },
});

export type RunStopped = z.infer<typeof runStopped.schema>;
