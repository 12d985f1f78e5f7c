import * as z from 'zod/v4';
import { integer } from './read.ts';

/** Time for a batch, which can take hours, and for direct calls where the batch has no result. */
export const SHORTEST_BATCH_DEADLINE_SECONDS = 7200;
/** Default of TYPED_CONCURRENCY with batches: a run that waits for a batch needs only memory and a heartbeat. */
export const TYPED_RUNS_IN_BATCHES = 200;

export const batchesShape = {
  /** `on`: typed answers go to the model in batches (the Batch API), at half the price; results take up to hours. */
  TYPED_MODEL_BATCHES: z.enum(['on', 'off']).default('off'),
  /** Seconds that a call waits for further calls of its batch. */
  MODEL_BATCH_SECONDS: integer(1, 3600).default(60),
  /** Calls per batch at most. The upper limit is the number of call ids that fit into a batch's metadata. */
  MODEL_BATCH_CALLS: integer(1, 448).default(400),
  /** Seconds until the first check of a batch; intervals grow up to ten times this. */
  MODEL_BATCH_POLL_SECONDS: integer(1, 600).default(30),
};

export const batchesOf = (e: z.output<z.ZodObject<typeof batchesShape>>) =>
  e.TYPED_MODEL_BATCHES === 'on'
    ? {
        collectMs: e.MODEL_BATCH_SECONDS * 1000,
        mostCalls: e.MODEL_BATCH_CALLS,
        pollMs: e.MODEL_BATCH_POLL_SECONDS * 1000,
      }
    : null;
