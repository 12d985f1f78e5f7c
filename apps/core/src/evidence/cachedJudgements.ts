import type { Tx } from '@evaluation/database';
import * as z from 'zod/v4';
import { HeldRun, isHeldBy, lostRun } from '../locks/heldRun.ts';
import { UncheckedEvidence } from '../workerCalls/workerInput.ts';
import type { Services } from '../services.ts';
import { MAX_PART_BYTES } from './storeEvidence.ts';

/*
 * Cache of judgements (decision 017). The same answer to the same question, under the same rubric, model and prompt, is
 * judged once in an institute; the reply is scored again for each candidate who gave that answer. If two workers judge
 * at once, the judgement that is recorded first counts. The cache is never shared between institutes.
 */

/** The run that made the judgement, and its requests and replies. Core does not read `evidence`; workers score it. */
export interface CachedJudgement {
  run_id: string;
  evidence: unknown;
}

/** SHA-256 of all inputs that decide a judgement. */
export const JudgementKey = z.string().regex(/^[0-9a-f]{64}$/);

export const FindJudgement = z.object({ held: HeldRun, key: JudgementKey });

/** @throws DomainFailure conflict if the run is not held */
export const findJudgement = (
  services: Services,
  { held, key }: z.infer<typeof FindJudgement>,
): Promise<CachedJudgement | null> =>
  services.database.inTenant(held.institute_id, async (tx) => {
    const run = await tx
      .selectFrom('runs')
      .select('id')
      .where('institute_id', '=', held.institute_id)
      .where('id', '=', held.run_id)
      .where(isHeldBy(held))
      .executeTakeFirst();
    if (run === undefined) throw lostRun();
    const found = await standing(tx, held.institute_id, key);
    return found === undefined ? null : shown(found);
  });

/** A judgement made for a question of this run, to be reused for other candidates with the same answer. */
export const MadeJudgement = z.object({
  key: JudgementKey,
  /** Requests to the model and its replies. */
  calls: UncheckedEvidence,
  /** Run of the cached judgement that could not be scored any more and is replaced; usually null. */
  replaces: z.uuid().nullable(),
});
export type MadeJudgement = z.infer<typeof MadeJudgement>;

/**
 * Caches a judgement unless the key has one already. Called in the transaction that records the result, under the run's
 * lock.
 * @returns the judgement of another question that must be used instead; null if this judgement was cached, if the
 * cached one is equal, or if no judgement is kept
 */
export const keepJudgement = async (
  tx: Tx,
  held: HeldRun,
  questionId: string,
  { key, calls, replaces }: MadeJudgement,
  retentionDays: number,
): Promise<CachedJudgement | null> => {
  const evidence = JSON.stringify(calls) ?? 'null';
  if (retentionDays === 0 || Buffer.byteLength(evidence) > MAX_PART_BYTES) return null;
  const made = { run_id: held.run_id, question_id: questionId, evidence };
  const kept = await tx
    .insertInto('judgements')
    .values({ institute_id: held.institute_id, key, ...made })
    .onConflict((conflict) => {
      const taken = conflict.columns(['institute_id', 'key']);
      return replaces === null
        ? taken.doNothing()
        : taken.doUpdateSet(made).where('judgements.run_id', '=', replaces);
    })
    .returning('run_id')
    .executeTakeFirst();
  if (kept !== undefined) return null;
  const stands = await standing(tx, held.institute_id, key);
  // If the row was deleted between the insert's conflict and this select, the caller uses its own judgement, uncached.
  if (stands === undefined || stands.evidence === evidence) return null;
  const isOwn = stands.run_id === held.run_id && stands.question_id === questionId;
  return isOwn ? null : shown(stands);
};

const standing = (tx: Tx, instituteId: string, key: string) =>
  tx
    .selectFrom('judgements')
    .select(['run_id', 'question_id', 'evidence'])
    .where('institute_id', '=', instituteId)
    .where('key', '=', key)
    .executeTakeFirst();

const shown = ({ run_id, evidence }: { run_id: string; evidence: string }): CachedJudgement => ({
  run_id,
  evidence: JSON.parse(evidence) as unknown,
});
