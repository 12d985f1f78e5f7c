import { sql } from 'kysely';
import { json, type Tx } from '@evaluation/database';
import * as z from 'zod/v4';
import type { HeldRun } from '../locks/heldRun.ts';

/*
 * What a run has used of the model so far, over all its deliveries. A worker starts from what the claim gives it, adds its
 * own, and sends the sum along with each record: so it is stored with what it was spent on, in the same transaction, and
 * sending it twice adds nothing. What a worker spent after its last record dies with it.
 */

/** Kinds of call; there are four. */
const MOST_KINDS = 32;
const Count = z.int().gte(0);

export const GraderOfRun = z.object({
  provider: z.string().max(200),
  model: z.string().max(500),
  /** Those of every call, sorted. Optional, as below: runs in hand during a rolling deploy, of workers that tell none. */
  prompt_versions: z.array(z.string().max(200)).max(200).optional(),
});

export const UsageOfRun = z.object({
  calls: Count,
  input_tokens: Count,
  cached_input_tokens: Count.optional(),
  output_tokens: Count,
  duration_ms: z.number().gte(0),
  /** An exact decimal; null when the worker knows no price of the model. */
  cost: z
    .object({
      amount: z
        .string()
        .max(64)
        .regex(/^\d+(\.\d+)?$/),
      currency: z.string().max(16),
    })
    .nullable()
    .optional(),
  /** By kind of call, as evidence names them. */
  by_call: z
    .record(z.string().max(64), z.object({ calls: Count, duration_ms: z.number().gte(0) }))
    .refine((calls) => Object.keys(calls).length <= MOST_KINDS)
    .meta({ maxProperties: MOST_KINDS })
    .optional(),
});

export const UsedByRun = z.object({ grader: GraderOfRun, usage: UsageOfRun });
export type UsedByRun = z.infer<typeof UsedByRun>;

/** Stores it in the record's transaction, under the run's lock. Of two that overtook each other the later one stands. */
export const noteUsed = async (tx: Tx, held: HeldRun, used: UsedByRun | undefined): Promise<void> => {
  if (used === undefined) return;
  const { calls, duration_ms } = used.usage;
  await tx
    .updateTable('runs')
    .set({ grader: json(used.grader), usage: json(used.usage) })
    .where('institute_id', '=', held.institute_id)
    .where('id', '=', held.run_id)
    .where(
      sql<boolean>`(usage is null
        or ((usage->>'calls')::numeric <= ${calls} and (usage->>'duration_ms')::numeric <= ${duration_ms}))`,
    )
    .execute();
};

/** What earlier deliveries stored; null when there is none, or it is not understood. */
export const usedBefore = (run: { grader: unknown; usage: unknown }): UsedByRun | null =>
  UsedByRun.safeParse(run).data ?? null;
