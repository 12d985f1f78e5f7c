import type { Tx } from '@evaluation/database';
import * as z from 'zod/v4';
import { HeldRun, isHeldBy, lostRun } from '../locks/heldRun.ts';
import { UncheckedEvidence } from '../workerCalls/workerInput.ts';
import type { Services } from '../services.ts';
import { MAX_PART_BYTES } from './storeEvidence.ts';

/*
 * The judgement that stands for an answer (decision 017): the same answer under the same question, rubric, model and
 * prompt is judged once in an institute, and what was replied then is settled again for each candidate who gave it. The
 * first that is recorded stands, also when two workers have judged at once. Never across institutes.
 */

/** Which run had the judgement made, and what was asked and replied: opaque here, settled by workers. */
export interface CachedJudgement {
  run_id: string;
  evidence: unknown;
}

/** What names a judgement: a hash of all that decides it. */
export const JudgementKey = z.string().regex(/^[0-9a-f]{64}$/);

export const FindJudgement = z.object({ held: HeldRun, key: JudgementKey });

/** @throws DomainFailure conflict when the run is not held */
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

/** A judgement that was made for a question of this run, and is to stand for others who gave the same answer. */
export const MadeJudgement = z.object({
  key: JudgementKey,
  /** What was asked and replied. */
  calls: UncheckedEvidence,
  /** The run whose standing judgement could not be settled any more, and is replaced; null as a rule. */
  replaces: z.uuid().nullable(),
});
export type MadeJudgement = z.infer<typeof MadeJudgement>;

/**
 * Keeps a judgement where none stands: in the transaction that records what it came to, under the run's lock.
 * @returns the one that another question has, and that stands in its place; null: this one stands, or says the same, or
 *   nothing is kept
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
  // Swept since the insert gave way to it: then the own one counts, and nobody's stands.
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
