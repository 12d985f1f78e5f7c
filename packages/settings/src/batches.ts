import * as z from 'zod/v4';
import { integer } from './read.ts';

/** A batch may take hours, and time is kept for what it does not answer. */
export const SHORTEST_BATCH_DEADLINE_SECONDS = 7200;
/** Typed runs in hand at once where they go in batches: a run that waits costs its memory and a heartbeat. */
export const TYPED_RUNS_IN_BATCHES = 200;

export const batchesShape = {
  /** Whether typed answers are asked in batches (the Batch API), at half the price and with an answer within hours. */
  TYPED_MODEL_BATCHES: z.enum(['on', 'off']).default('off'),
  /** How long a call waits for others to go with in a batch. */
  MODEL_BATCH_SECONDS: integer(1, 3600).default(60),
  /** Calls of a batch, at most. Their ids have to find room in its metadata: 448 do. */
  MODEL_BATCH_CALLS: integer(1, 448).default(400),
  /** Until the first look at a batch; later looks are up to ten times as far apart. */
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
