import { sql } from 'kysely';
import { json, type Tx } from '@evaluation/database';
import * as z from 'zod/v4';
import type { HeldRun } from '../../command/locks/heldRun.ts';

/*
 * Token usage of a run over all its deliveries. A worker starts from `used` of its claim, adds its own usage and sends
 * the sum with each record. The sum is stored in the record's transaction, so sending it twice adds nothing. Usage
 * after the last record of a dead worker is lost.
 */

/** Bound of `by_call`; four kinds exist. */
const MOST_KINDS = 32;
const Count = z.int().gte(0);

const GraderOfRun = z.object({
  provider: z.string().max(200),
  model: z.string().max(500),
  /** Prompt versions of all calls, sorted. */
  prompt_versions: z.array(z.string().max(200)).max(200),
});

const UsageOfRun = z.object({
  calls: Count,
  input_tokens: Count,
  cached_input_tokens: Count,
  output_tokens: Count,
  duration_ms: z.number().gte(0),
  /** Exact decimal; null if the price of the model is unknown to the worker. */
  cost: z
    .object({
      amount: z
        .string()
        .max(64)
        .regex(/^\d+(\.\d+)?$/),
      currency: z.string().max(16),
    })
    .nullable(),
  /** By kind of call, with the names used in evidence. */
  by_call: z
    .record(z.string().max(64), z.object({ calls: Count, duration_ms: z.number().gte(0) }))
    .refine((calls) => Object.keys(calls).length <= MOST_KINDS)
    .meta({ maxProperties: MOST_KINDS }),
});

export const UsedByRun = z.object({ grader: GraderOfRun, usage: UsageOfRun });
export type UsedByRun = z.infer<typeof UsedByRun>;

/** Stored under the run's lock. If two records arrive out of order, the larger sum stays. */
export const noteUsed = async (tx: Tx, held: HeldRun, used: UsedByRun): Promise<void> => {
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

/** Reads the usage of earlier deliveries; null if there is none or it has an unknown form. */
export const usedBefore = (run: { grader: unknown; usage: unknown }): UsedByRun | null =>
  UsedByRun.safeParse(run).data ?? null;
