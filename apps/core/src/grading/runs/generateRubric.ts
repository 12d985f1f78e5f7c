import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { json, type Tx } from '@evaluation/database';
import { Rubric } from '@evaluation/rest-contract/schemas';
import { checkRubric, lacksMaterial } from '@evaluation/rules';
import { discardEvidence, noteRubricEvidence, putEvidence } from '../evidence/storeEvidence.ts';
import { lockAndExtend, type HeldRun } from '../../command/locks/heldRun.ts';
import { noteUsed, type UsedByRun } from './usedByRun.ts';
import type { Services } from '../../command/services.ts';
import { pinRubric, readPinnedQuestion, type PinnedQuestion } from '../../exams/paper/pinned.ts';

/*
 * Generates a rubric from the text of a long answer that has neither rubric nor model answer, with the first copy
 * (docs/api/rubrics.md#rules). The key of a generation is the question's text and the version of the client's last row
 * in `rubric_versions`, both as the run has pinned them. Runs with the same key wait for one rubric and are all marked
 * by it:
 *
 *   free ──begin──▶ held by a run ──record──▶ row `generated` in rubric_versions, permanent; row here deleted
 *     ▲                 │  │
 *     │ its claim ends  │  └──give up──▶ free, `failures` + 1: waiting runs continue without; the next copy tries again
 *     └─────────────────┘
 *
 * The lease is the claim of the run that generates. If that run is stopped, handed back, finished or claimed again, its
 * fence or status differs, and the next run that calls `beginRubric` takes over. So a worker may die at any point.
 *
 * A recorded rubric is permanent. It applies (inForce.ts) while the question has this text and the client has set and
 * cleared nothing since. Edits and generations do not wait for each other, so no lock of the exam is needed. The exam's
 * version does not change, so an earlier If-Match of the client stays valid.
 *
 * Each rubric is also stored beside the run's paper (pinned.ts): the run, its later deliveries and later readers use
 * the same rubric.
 *
 * Locks: submission → run → row of `rubric_generations`. A transaction that holds the row takes no further lock.
 * Waiting runs poll without a lock; their heartbeats extend their leases.
 */

type BegunRubric =
  | { state: 'made'; rubric: Rubric }
  /** The run that asked must generate the rubric, then record it or give up. */
  | { state: 'yours' }
  /** Another run generates it: ask again, with this `failures`. */
  | { state: 'busy'; failures: number }
  /** The run that generated it gave up while the asking run waited. */
  | { state: 'given_up' };

/**
 * @param asked.failures `failures` of the last `busy` answer; null on the first call
 * @throws DomainFailure conflict if the run is not held any more
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
    await lockAndExtend(tx, held, services.settings.runs.leaseSeconds);
    const begun = await claimGeneration(tx, held, key, asked.failures);
    // Read after the row is locked: `recordRubric` inserts the rubric and deletes the row in one transaction.
    const made = await readMade(tx, key);
    if (made === null) return begun;
    await endGeneration(tx, held, key);
    await pinRubric(tx, held, question.id, made);
    return { state: 'made', rubric: made };
  });

/**
 * Stores a rubric, which must satisfy the rules of a client's rubric. @returns the rubric that was recorded first
 * @throws DomainFailure conflict if the run is not held any more
 */
export const recordRubric = async (
  services: Pick<Services, 'database' | 'settings' | 'objects' | 'log' | 'claims'>,
  held: HeldRun,
  made: { question_id: string; rubric: Rubric; evidence: unknown; used: UsedByRun },
): Promise<Rubric> => {
  const evidence = await putEvidence(services, held, [made.evidence]);
  let isLinked = false;
  const rubric = await services.database.inTenant(held.institute_id, async (tx) => {
    await lockAndExtend(tx, held, services.settings.runs.leaseSeconds);
    await noteUsed(tx, held, made.used);
    const question = await readQuestion(tx, held, made.question_id);
    if (question.rubric !== null) return question.rubric;
    const [problem] = checkRubric(made.rubric, question.max_marks, 'rubric');
    if (problem !== undefined) {
      throw new Error(`run ${held.run_id}: recorded a rubric that breaks a rule: ${problem.code}`);
    }
    const key = await readKey(tx, held, question);
    if (!(await endGeneration(tx, held, key))) {
      throw new Error(`run ${held.run_id}: recorded a rubric without holding its generation`);
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
    await noteRubricEvidence(tx, held, question.id, evidence.parts[0] ?? null);
    isLinked = true;
    return made.rubric;
  });
  if (!isLinked) await discardEvidence(services, evidence);
  return rubric;
};

/** This run and the waiting runs are marked without a rubric. @throws DomainFailure conflict if the run is not held */
export const giveUpRubric = (
  services: Pick<Services, 'database' | 'settings'>,
  held: HeldRun,
  questionId: string,
  used: UsedByRun,
): Promise<void> =>
  services.database.inTenant(held.institute_id, async (tx) => {
    await lockAndExtend(tx, held, services.settings.runs.leaseSeconds);
    await noteUsed(tx, held, used);
    const key = await readKey(tx, held, await readQuestion(tx, held, questionId));
    await tx
      .updateTable('rubric_generations')
      .set({ run_id: null, fence: null, failures: sql<number>`failures + 1` })
      .where((expression) => expression.and({ ...key, run_id: held.run_id, fence: held.fence }))
      .execute();
  });

/** @throws Error if the question takes no generated rubric, which means a defect of the worker */
const readQuestion = async (tx: Tx, held: HeldRun, questionId: string): Promise<PinnedQuestion> => {
  const question = await readPinnedQuestion(tx, held, questionId);
  if (question === null || question.type !== 'long_answer') {
    throw new Error(
      `run ${held.run_id}: asked for the rubric of a question that is no long answer of its paper`,
    );
  }
  if (question.rubric === null && !lacksMaterial(question)) {
    throw new Error(`run ${held.run_id}: asked for the rubric of a question with a model answer`);
  }
  return question;
};

/** Inputs of a generated rubric, which identify it. */
interface Key {
  institute_id: string;
  question_id: string;
  /** Version of the client's last row that the run has pinned; 0 if there is none. */
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
 * True if another run generates the rubric and has neither recorded it nor given up. Reads without a lock; later
 * changes are seen by the next call.
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

/** Makes this run the one that generates the rubric, unless another run does so already. */
const claimGeneration = async (
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
  // The row was deleted between the insert's conflict and this select, because the rubric was recorded.
  if (row === undefined) return { state: 'busy', failures: 0 };
  if (seenFailures !== null && row.failures > seenFailures) return { state: 'given_up' };
  // Read after the row is locked: the transaction that claimed the generation has committed, so its claim is visible.
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

/** @returns true if this run held the claim */
const endGeneration = async (tx: Tx, held: HeldRun, key: Key): Promise<boolean> => {
  const released = await tx
    .deleteFrom('rubric_generations')
    .where((expression) => expression.and({ ...key, run_id: held.run_id, fence: held.fence }))
    .returning('question_id')
    .executeTakeFirst();
  return released !== undefined;
};
