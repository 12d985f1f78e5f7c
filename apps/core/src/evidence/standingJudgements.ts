import type { Tx } from '@evaluation/database';
import * as z from 'zod/v4';
import { HeldRun, lockHeldRun } from '../grading/heldRun.ts';
import { noteUsed, UsedByRun } from '../grading/usedByRun.ts';
import type { Services } from '../services.ts';
import { hasEvidence, MAX_PART_BYTES } from './storeEvidence.ts';

/*
 * The judgement that stands for an answer (decision 017): the same answer under the same question, rubric, model and
 * prompt is judged once in an institute, and what was replied then is settled again for each candidate who gave it. The
 * first that is kept stands, also when two workers have judged at once. Never across institutes.
 */

/** Which run had the judgement made, and what was asked and replied: opaque here, settled by workers. */
export interface StandingJudgement {
  run_id: string;
  evidence: unknown;
}

/** What names a judgement: a hash of all that decides it. */
export const JudgementKey = z.string().regex(/^[0-9a-f]{64}$/);

export const FindJudgement = z.object({ held: HeldRun, key: JudgementKey });

export const findJudgement = (
  services: Services,
  { held, key }: z.infer<typeof FindJudgement>,
): Promise<StandingJudgement | null> =>
  services.database.inTenant(held.institute_id, (tx) => standing(tx, held.institute_id, key));

export const KeepJudgement = z.object({
  held: HeldRun,
  question_id: z.uuid(),
  key: JudgementKey,
  evidence: z.unknown(),
  /** The run whose standing judgement could not be settled any more, and is replaced; null as a rule. */
  replaces: z.uuid().nullable(),
  used: UsedByRun.optional(),
});

/**
 * Keeps a judgement where none stands. @returns the one that stands: this one, or the one that came before
 * @throws DomainFailure conflict when the run is not held any more
 */
export const keepJudgement = async (
  services: Services,
  { held, question_id, key, evidence, replaces, used }: z.infer<typeof KeepJudgement>,
): Promise<StandingJudgement> => {
  const own = { run_id: held.run_id, evidence };
  const text = JSON.stringify(evidence) ?? 'null';
  if (services.settings.evidence.retentionDays === 0 || Buffer.byteLength(text) > MAX_PART_BYTES) return own;
  return services.database.inTenant(held.institute_id, async (tx) => {
    await lockHeldRun(tx, held, services.settings.runs.leaseSeconds);
    await noteUsed(tx, held, used);
    const made = { run_id: held.run_id, question_id, evidence: text };
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
    if (kept !== undefined) {
      await hasEvidence(tx, held);
      return own;
    }
    // Swept since the insert gave way to it: then the own one counts, and nobody's stands.
    return (await standing(tx, held.institute_id, key)) ?? own;
  });
};

const standing = async (tx: Tx, instituteId: string, key: string): Promise<StandingJudgement | null> => {
  const row = await tx
    .selectFrom('judgements')
    .select(['run_id', 'evidence'])
    .where('institute_id', '=', instituteId)
    .where('key', '=', key)
    .executeTakeFirst();
  return row === undefined ? null : { run_id: row.run_id, evidence: JSON.parse(row.evidence) as unknown };
};
