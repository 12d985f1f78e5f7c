import { sql } from 'kysely';
import { send, type Tx } from '@evaluation/database';
import * as z from 'zod/v4';
import type { HeldRun } from '../../command/locks/heldRun.ts';
import { UncheckedEvidence } from '../../command/workerCalls/workerInput.ts';
import { MAX_PART_BYTES } from './storeEvidence.ts';

/*
 * Cache of judgements (decision 017). The same answer to the same question, under the same rubric, model and prompt, is
 * judged once in an institute; the reply is scored again for each candidate who gave that answer. If two workers judge
 * at once, the judgement that is recorded first counts. The cache is never shared between institutes.
 */

/** The run that made the judgement, and its requests and replies. Core does not read `evidence`; workers score it. */
interface CachedJudgement {
  run_id: string;
  evidence: unknown;
}

/** Bound of the judgements in one answer. A judgement that is left out is asked for again and then shared. */
const MOST_FOUND_BYTES = 8 * 1024 * 1024;

/** SHA-256 of all inputs that decide a judgement. */
export const JudgementKey = z.string().regex(/^[0-9a-f]{64}$/);

export interface FoundJudgement extends CachedJudgement {
  key: string;
}

interface StoredJudgement {
  key: string;
  run_id: string;
  evidence: string;
}

/** Selects cached judgements, up to MOST_FOUND_BYTES in all but at least the first. */
export const selectJudgements = (instituteId: string, keys: readonly string[]) => sql<StoredJudgement>`
  select key, run_id, evidence from (
    select key, run_id, evidence, sum(octet_length(evidence)) over (order by key) - octet_length(evidence) as before
    from judgements where institute_id = ${instituteId} and key = any(${keys}::text[])) found
  where before < ${MOST_FOUND_BYTES}`;

/** @param rows of `selectJudgements` */
export const judgementsOf = (rows: readonly StoredJudgement[]): FoundJudgement[] =>
  rows.map((row) => ({ ...row, evidence: JSON.parse(row.evidence) as unknown }));

/** A judgement made for a question of this run, to be reused for other candidates with the same answer. */
export const MadeJudgement = z.object({
  key: JudgementKey,
  /** Requests to the model and its replies. */
  calls: UncheckedEvidence,
  /** Run of the cached judgement that could not be scored any more and is replaced; usually null. */
  replaces: z.uuid().nullable(),
});
export type MadeJudgement = z.infer<typeof MadeJudgement>;

/** A cached judgement, which must be used instead of the one that the worker has sent for the question. */
export interface ReplacementJudgement extends CachedJudgement {
  question_id: string;
}

type Made = MadeJudgement & { question_id: string };

/**
 * Caches each judgement whose key has none yet. Called in the transaction that records the results, under the run's
 * lock.
 * @returns the cached judgements that must be used instead of sent ones. A question is missing if its own judgement was
 * cached, equals the cached one, or is not kept
 */
export const keepJudgements = async (
  tx: Tx,
  held: HeldRun,
  judgements: readonly Made[],
  retentionDays: number,
): Promise<ReplacementJudgement[]> => {
  if (retentionDays === 0) return [];
  const made = judgements
    .map((judgement) => ({ ...judgement, evidence: JSON.stringify(judgement.calls) ?? 'null' }))
    .filter(({ evidence }) => Buffer.byteLength(evidence) <= MAX_PART_BYTES)
    // Rows are inserted in the order of their keys, so that two runs do not deadlock on equal keys.
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
  if (made.length === 0) return [];
  const kept = new Set(await insertNew(tx, held, made));
  for (const judgement of made) {
    if (judgement.replaces === null || kept.has(judgement.question_id)) continue;
    if (await replace(tx, held, judgement)) kept.add(judgement.question_id);
  }
  const taken = made.filter(({ question_id }) => !kept.has(question_id));
  if (taken.length === 0) return [];
  // If a row was deleted between the insert's conflict and this select, the caller uses its own judgement, uncached.
  const found = new Map((await readCached(tx, held.institute_id, taken)).map((row) => [row.key, row]));
  return taken.flatMap(({ key, question_id, evidence }) => {
    const cached = found.get(key);
    if (cached === undefined || cached.evidence === evidence) return [];
    const isOwn = cached.run_id === held.run_id && cached.question_id === question_id;
    return isOwn
      ? []
      : [{ question_id, run_id: cached.run_id, evidence: JSON.parse(cached.evidence) as unknown }];
  });
};

type Encoded = Made & { evidence: string };

/** @returns the questions whose judgement is cached now: of several with one key, only the first. */
const insertNew = async (tx: Tx, held: HeldRun, made: readonly Encoded[]): Promise<string[]> => {
  const [rows] = await send(
    tx,
    sql<{ question_id: string }>`
    insert into judgements (institute_id, key, run_id, question_id, evidence)
    select ${held.institute_id}::uuid, m.key, ${held.run_id}::uuid, m.question_id, m.evidence
    from unnest(${made.map(({ key }) => key)}::text[], ${made.map(({ question_id }) => question_id)}::uuid[],
      ${made.map(({ evidence }) => evidence)}::text[]) as m (key, question_id, evidence)
    on conflict (institute_id, key) do nothing
    returning question_id`,
  );
  return rows.map(({ question_id }) => question_id);
};

const replace = async (tx: Tx, held: HeldRun, { key, question_id, evidence, replaces }: Encoded) => {
  const replaced = await tx
    .updateTable('judgements')
    .set({ run_id: held.run_id, question_id, evidence })
    .where('institute_id', '=', held.institute_id)
    .where('key', '=', key)
    .where('run_id', '=', replaces)
    .returning('key')
    .executeTakeFirst();
  return replaced !== undefined;
};

const readCached = (tx: Tx, instituteId: string, made: readonly { key: string }[]) =>
  tx
    .selectFrom('judgements')
    .select(['key', 'run_id', 'question_id', 'evidence'])
    .where('institute_id', '=', instituteId)
    .where(sql<boolean>`key = any(${made.map(({ key }) => key)}::text[])`)
    .execute();
