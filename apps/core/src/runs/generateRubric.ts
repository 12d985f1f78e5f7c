import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { json, type Tx } from '@evaluation/database';
import { Rubric } from '@evaluation/rest-contract/schemas';
import { checkRubric, lacksMaterial } from '@evaluation/rules';
import { noteEvidence, putEvidence } from '../evidence/storeEvidence.ts';
import { lockHeldRun, type HeldRun } from '../locks/heldRun.ts';
import { noteUsed, type UsedByRun } from './usedByRun.ts';
import type { Services } from '../services.ts';
import { pinRubric, readPinnedQuestion, type PinnedQuestion } from '../paper/pinned.ts';

/*
 * A long answer with neither rubric nor model answer gets a rubric from its text, with the first copy (docs/api/rubrics.md#rules).
 * It is named by what it rests on: the question's text and the client's last row in `rubric_versions` before it, both as
 * the run has pinned them. Runs that pinned the same wait for one rubric and are marked by it:
 *
 *   nobody ──begin──▶ a run makes it ──record──▶ rubric_versions, `generated`, for good; no row here
 *     ▲                  │  │
 *     │   its claim ends │  └──give up──▶ nobody, one failure more: who waited goes without, the next copy tries again
 *     └──────────────────┘
 *
 * The lease is the claim of the run that makes it: dead, stopped, handed back or over, the run has another fence or
 * status, and whoever asks next takes over. A worker may die anywhere.
 *
 * What is recorded is never thrown away, and yet never in the way: it is in force (inForce.ts) while the text is that
 * text and the client has set and cleared nothing since. An edit meanwhile takes no notice of a generation, nor makes it
 * wait, and so no lock of the exam is needed. The exam's version stays: an If-Match of the client is good afterwards.
 *
 * Each outcome is also written beside the run's own paper (pinned.ts): the run, its later deliveries and whoever looks at
 * it afterwards see one and the same rubric.
 *
 * Locks: submission → run → the row here. Who holds the row asks for nothing else. Who waits looks without any lock, as
 * long as there is nothing but to wait; its heartbeat keeps its lease.
 */

export type BegunRubric =
  | { state: 'made'; rubric: Rubric }
  /** To be made, recorded or given up by the run that asked. */
  | { state: 'yours' }
  /** Another run makes it: ask again, with what this says. */
  | { state: 'busy'; failures: number }
  /** Whoever made it could not, while the run that asked waited for it. */
  | { state: 'given_up' };

/**
 * Asks for the rubric of a question of the run's paper.
 * @param asked.failures what `busy` said when this run asked before; null when it asks for the first time
 * @throws DomainFailure conflict when the run is not held any more
 */
export const beginRubric = (
  services: Pick<Services, 'database' | 'settings'>,
  held: HeldRun,
  asked: { question_id: string; failures: number | null },
): Promise<BegunRubric> =>
  services.database.inTenant(held.institute_id, async (tx) => {
    const question = await readQuestion(tx, held, asked.question_id);
    if (question.rubric !== null) return { state: 'made', rubric: question.rubric };
    const key = await readKey(tx, held, question);
    if (await mustWait(tx, held, key, asked.failures))
      return { state: 'busy', failures: asked.failures ?? 0 };
    await lockHeldRun(tx, held, services.settings.runs.leaseSeconds);
    const place = await takePlace(tx, held, key, asked.failures);
    // Looked for after the row is ours: who recorded it has deleted the row in the same transaction.
    const made = await readMade(tx, key);
    if (made === null) return place;
    await releasePlace(tx, held, key);
    await pinRubric(tx, held, question.id, made);
    return { state: 'made', rubric: made };
  });

/**
 * Stores what the run has made, and what it rests on. It comes from a worker and so obeys the rules of a client's rubric
 * or is refused.
 * @returns the rubric that marks the run; of what is recorded twice the first
 * @throws DomainFailure conflict when the run is not held any more
 */
export const recordRubric = async (
  services: Pick<Services, 'database' | 'settings' | 'objects' | 'log'>,
  held: HeldRun,
  made: { question_id: string; rubric: Rubric; evidence?: unknown; used?: UsedByRun | undefined },
): Promise<Rubric> => {
  const part = await putEvidence(services, held, made.evidence);
  return services.database.inTenant(held.institute_id, async (tx) => {
    await lockHeldRun(tx, held, services.settings.runs.leaseSeconds);
    await noteUsed(tx, held, made.used);
    const question = await readQuestion(tx, held, made.question_id);
    if (question.rubric !== null) return question.rubric;
    const [problem] = checkRubric(made.rubric, question.max_marks, 'rubric');
    if (problem !== undefined) {
      throw new Error(`run ${held.run_id}: a rubric that the rules do not allow: ${problem.code}`);
    }
    const key = await readKey(tx, held, question);
    if (!(await releasePlace(tx, held, key))) {
      throw new Error(`run ${held.run_id}: a rubric that the run was not to make`);
    }
    await tx
      .insertInto('rubric_versions')
      .values({
        exam_id: sql<string>`(select exam_id from questions where id = ${question.id})`,
        ...key,
        source: 'generated',
        rubric: json(made.rubric),
        model_answer: question.model_answer,
      })
      .execute();
    await pinRubric(tx, held, question.id, made.rubric);
    await noteEvidence(tx, held, { kind: 'rubric', ref: question.id }, part);
    return made.rubric;
  });
};

/**
 * The run could not make it and goes without; whoever waited for it does too.
 * @throws DomainFailure conflict when the run is not held any more
 */
export const giveUpRubric = (
  services: Pick<Services, 'database' | 'settings'>,
  held: HeldRun,
  questionId: string,
  used?: UsedByRun,
): Promise<void> =>
  services.database.inTenant(held.institute_id, async (tx) => {
    await lockHeldRun(tx, held, services.settings.runs.leaseSeconds);
    await noteUsed(tx, held, used);
    const key = await readKey(tx, held, await readQuestion(tx, held, questionId));
    await tx
      .updateTable('rubric_generations')
      .set({ run_id: null, fence: null, failures: sql<number>`failures + 1` })
      .where((expression) => expression.and({ ...key, run_id: held.run_id, fence: held.fence }))
      .execute();
  });

/** @throws Error where the question takes no generated rubric: a worker that asks for one is wrong */
const readQuestion = async (tx: Tx, held: HeldRun, questionId: string): Promise<PinnedQuestion> => {
  const question = await readPinnedQuestion(tx, held, questionId);
  if (question === null || question.type !== 'long_answer') {
    throw new Error(`run ${held.run_id}: a rubric for a question that takes none`);
  }
  if (question.rubric === null && !lacksMaterial(question)) {
    throw new Error(`run ${held.run_id}: a rubric for a question that has a model answer`);
  }
  return question;
};

/** What the rubric rests on, and so what it is called by. */
interface Key {
  institute_id: string;
  question_id: string;
  /** Of the client's last row that the run has pinned; 0 where there is none. */
  version: number;
  text_sha256: string;
}

const readKey = async (tx: Tx, held: HeldRun, question: PinnedQuestion): Promise<Key> => {
  const { version } = await tx
    .selectFrom('rubric_versions')
    .select((expression) => expression.fn.max('version').as('version'))
    .where('institute_id', '=', held.institute_id)
    .where('question_id', '=', question.id)
    .where('source', '=', 'client')
    .where('version', '<=', question.rubricVersion)
    .executeTakeFirstOrThrow();
  return {
    institute_id: held.institute_id,
    question_id: question.id,
    version: version ?? 0,
    text_sha256: createHash('sha256').update(question.text).digest('hex'),
  };
};

const readMade = async (tx: Tx, key: Key): Promise<Rubric | null> => {
  const row = await tx
    .selectFrom('rubric_versions')
    .select('rubric')
    .where((expression) => expression.and(key))
    .where('source', '=', 'generated')
    .executeTakeFirst();
  return row === undefined ? null : Rubric.parse(row.rubric);
};

/**
 * Whether there is nothing for the run but to ask again: another makes the rubric, and none was recorded or given up. Seen
 * without a lock, and so at some moment before: what has changed since is seen when it asks again.
 */
const mustWait = async (tx: Tx, held: HeldRun, key: Key, seenFailures: number | null): Promise<boolean> => {
  const { rows } = await sql`
    select from rubric_generations g
    join runs r on r.institute_id = g.institute_id and r.id = g.run_id and r.fence = g.fence and r.status = 'claimed'
    where g.institute_id = ${key.institute_id} and g.question_id = ${key.question_id} and g.version = ${key.version}
      and g.text_sha256 = ${key.text_sha256} and g.run_id <> ${held.run_id}
      and g.failures = ${seenFailures}`.execute(tx);
  return rows.length > 0;
};

/** Makes the run the one that makes the rubric, unless another does. */
const takePlace = async (
  tx: Tx,
  held: HeldRun,
  key: Key,
  seenFailures: number | null,
): Promise<Exclude<BegunRubric, { state: 'made' }>> => {
  await tx
    .insertInto('rubric_generations')
    .values(key)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const row = await tx
    .selectFrom('rubric_generations')
    .select(['run_id', 'fence', 'failures'])
    .where((expression) => expression.and(key))
    .forUpdate()
    .executeTakeFirst();
  // Recorded, and so deleted, since the insert found it there.
  if (row === undefined) return { state: 'busy', failures: 0 };
  if (seenFailures !== null && row.failures > seenFailures) return { state: 'given_up' };
  // Asked once the row is locked: who took it before has committed, and its claim is seen.
  const maker =
    row.run_id === null || row.fence === null || row.run_id === held.run_id
      ? undefined
      : await tx
          .selectFrom('runs')
          .select('id')
          .where('institute_id', '=', held.institute_id)
          .where('id', '=', row.run_id)
          .where('fence', '=', row.fence)
          .where('status', '=', 'claimed')
          .executeTakeFirst();
  if (maker !== undefined) return { state: 'busy', failures: row.failures };
  await tx
    .updateTable('rubric_generations')
    .set({ run_id: held.run_id, fence: held.fence })
    .where((expression) => expression.and(key))
    .execute();
  return { state: 'yours' };
};

/** @returns whether the run had it to make */
const releasePlace = async (tx: Tx, held: HeldRun, key: Key): Promise<boolean> => {
  const released = await tx
    .deleteFrom('rubric_generations')
    .where((expression) => expression.and({ ...key, run_id: held.run_id, fence: held.fence }))
    .returning('question_id')
    .executeTakeFirst();
  return released !== undefined;
};
