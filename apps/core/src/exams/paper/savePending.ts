import { sql } from 'kysely';
import { json, withinTime, type Tx } from '@evaluation/database';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { Rubric } from '@evaluation/rest-contract/schemas';
import * as z from 'zod/v4';
import type { Services } from '../../command/services.ts';
import { appendVersion, type VersionRow } from './appendVersion.ts';

/*
 * Rubrics and model answers of a new exam are its first rubric version. Creating an exam succeeds even if they cannot
 * be saved at once (docs/api/exams.md#fields, `rubric.sync`):
 *
 *   create ──saved within 2 s──▶ rubric_versions, version 1
 *      └──delayed──▶ pending_rubrics, version 0, sync "pending" ──tick, or a command that needs them──▶ version 1
 *
 * The row of `pending_rubrics` is inserted in the transaction that creates the exam and deleted in the transaction that
 * saves version 1, so a crash loses nothing. Saving takes the exam's lock. While the row exists the exam's
 * `rubric_version` is 0, because every command that would raise it calls `savePendingRubricsOfExam` first.
 */

export const PendingMaterial = z.array(
  z.object({ question_id: z.uuid(), rubric: Rubric.nullable(), model_answer: z.string().nullable() }),
);

const FIRST_VERSION = 1;
/** How long a request waits for its rubrics to be saved. */
const SAVE_MS = 2000;
/** Wait in a tick; shorter, because the runs of all institutes wait for the tick. */
const TICK_SAVE_MS = 250;
const TICK_EXAMS = 20;
const LONGEST_PAUSE_SECONDS = 300;

/** Saves the first version, or stores it as pending. @returns the exam's rubric version: 1, or 0 while pending */
export const saveFirstRubrics = async (
  tx: Tx,
  instituteId: string,
  examId: string,
  material: readonly VersionRow[],
): Promise<number> => {
  if (material.length === 0) return 0;
  const saved = await withinTime(tx, SAVE_MS, (within) =>
    appendVersion(within, { instituteId, examId }, FIRST_VERSION, material),
  );
  if (saved !== null) return FIRST_VERSION;
  await tx
    .insertInto('pending_rubrics')
    .values({
      exam_id: examId,
      institute_id: instituteId,
      payload: json(material),
      next_try_at: sql<Date>`clock_timestamp() + interval '1 second'`,
    })
    .execute();
  return 0;
};

/**
 * Saves pending rubrics. Commands that read or change the rubrics of an exam call it first, in their own transaction,
 * before they read `rubric_version`. Takes the exam's lock only if there are pending rubrics.
 * @returns the exam's new rubric version, or null if nothing was pending
 * @throws DomainFailure service_unavailable if they still cannot be saved
 */
export const savePendingRubricsOfExam = async (
  tx: Tx,
  instituteId: string,
  examId: string,
  milliseconds = SAVE_MS,
): Promise<number | null> => {
  const ofExam = () =>
    tx
      .selectFrom('pending_rubrics')
      .select('payload')
      .where('institute_id', '=', instituteId)
      .where('exam_id', '=', examId);
  if ((await ofExam().executeTakeFirst()) === undefined) return null;

  const exam = await withinTime(tx, milliseconds, (within) =>
    within
      .selectFrom('exams')
      .select('rubric_version')
      .where('institute_id', '=', instituteId)
      .where('id', '=', examId)
      .forNoKeyUpdate()
      .executeTakeFirstOrThrow(),
  );
  if (exam === null) throw new DomainFailure('service_unavailable');
  // Read again under the lock: another transaction may have saved them meanwhile.
  const pending = await ofExam().executeTakeFirst();
  if (pending === undefined) return exam.value.rubric_version;
  const material = PendingMaterial.parse(pending.payload);
  const saved = await withinTime(tx, milliseconds, (within) =>
    appendFirst(within, instituteId, examId, material),
  );
  if (saved === null) throw new DomainFailure('service_unavailable');
  await tx
    .updateTable('exams')
    .set({ rubric_version: FIRST_VERSION })
    .where('institute_id', '=', instituteId)
    .where('id', '=', examId)
    .execute();
  await tx
    .deleteFrom('pending_rubrics')
    .where('institute_id', '=', instituteId)
    .where('exam_id', '=', examId)
    .execute();
  return FIRST_VERSION;
};

/** A failure postpones its exam with backoff and ends the round, because the same lock probably delays the others. */
export const savePendingRubrics = async (services: Services): Promise<void> => {
  const due = await services.database.acrossInstitutes((tx) =>
    tx
      .selectFrom('pending_rubrics')
      .select(['institute_id', 'exam_id'])
      .where('next_try_at', '<=', sql<Date>`clock_timestamp()`)
      .orderBy('next_try_at')
      .limit(TICK_EXAMS)
      .execute(),
  );
  for (const { institute_id, exam_id } of due) {
    try {
      await services.database.inTenant(institute_id, (tx) =>
        savePendingRubricsOfExam(tx, institute_id, exam_id, TICK_SAVE_MS),
      );
    } catch (error) {
      services.log.warn(
        { err: error, exam_id },
        'saving the rubrics of a new exam failed; a later tick tries again',
      );
      await services.database.inTenant(institute_id, (tx) => postpone(tx, institute_id, exam_id));
      return;
    }
  }
};

const postpone = (tx: Tx, instituteId: string, examId: string) =>
  sql`
    update pending_rubrics set attempts = attempts + 1,
      next_try_at = clock_timestamp() + make_interval(secs => least(${LONGEST_PAUSE_SECONDS}, 2 ^ least(attempts, 16)))
    where institute_id = ${instituteId} and exam_id = ${examId}`.execute(tx);

/** Saves version 1 without questions that were deleted meanwhile. */
const appendFirst = async (
  tx: Tx,
  instituteId: string,
  examId: string,
  material: readonly VersionRow[],
): Promise<void> => {
  const { rows } = await sql<{ id: string }>`
    select id from questions
    where institute_id = ${instituteId} and exam_id = ${examId}
      and id = any(${material.map(({ question_id }) => question_id)}::uuid[])`.execute(tx);
  const there = new Set(rows.map(({ id }) => id));
  const kept = material.filter(({ question_id }) => there.has(question_id));
  await appendVersion(tx, { instituteId, examId }, FIRST_VERSION, kept);
};
