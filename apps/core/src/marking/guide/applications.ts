import { sql } from 'kysely';
import { json, type Tx } from '@evaluation/database';
import { Actor } from '@evaluation/platform/signed-actor';
import * as z from 'zod/v4';
import { failure } from '../../command/failures.ts';
import { Passing, Versions } from '../../guides/inForce.ts';
import { Tally } from './tally.ts';

/*
 * An application of guides to the results of an exam. Its steps:
 *
 *   previewing ──▶ previewed ──▶ applying ──▶ applied ──▶ undoing ──▶ undone
 *                                    └───────────────────▲
 *
 * - previewing: counts what would change; reads only. Each call continues it.
 * - applying, undoing: one transaction for each candidate, in the order of their ids. It changes the marks of the
 *   candidate's live submission, counts, and moves `after_candidate`, all under the locks of the submission and of the
 *   application's row. So a pass that is killed continues where it stopped, and two processes at once change nothing
 *   twice. The call that starts a pass works on it for some seconds; repeated calls and core's rounds do the rest.
 * - `exam_guides.application_id` is the application in force from the beginning of `applying` to that of `undoing`.
 */

type GuideStep = 'previewing' | 'previewed' | 'applying' | 'applied' | 'undoing' | 'undone';

export interface StoredApplication {
  id: string;
  exam_id: string;
  number: number;
  step: GuideStep;
  versions: Record<string, number>;
  passing: Passing;
  preview: Tally;
  applied: Tally | null;
  undone: Tally | null;
  after_candidate: string | null;
  actor: Actor;
}

/** An application as the router returns it. */
export type Application = Omit<StoredApplication, 'id' | 'exam_id' | 'after_candidate' | 'actor'>;

export const shownApplication = ({
  number,
  step,
  versions,
  passing,
  preview,
  applied,
  undone,
}: StoredApplication): Application => ({ number, step, versions, passing, preview, applied, undone });

const selectApplications = (tx: Tx, instituteId: string) =>
  tx
    .selectFrom('guide_applications')
    .select([
      'id',
      'exam_id',
      'number',
      'step',
      'versions',
      'passing',
      'preview',
      'applied',
      'undone',
      'after_candidate',
      'actor',
    ])
    .where('institute_id', '=', instituteId);

type Row = Awaited<ReturnType<ReturnType<typeof selectApplications>['executeTakeFirstOrThrow']>>;

const parsed = (row: Row): StoredApplication => ({
  ...row,
  versions: Versions.parse(row.versions),
  passing: Passing.parse(row.passing),
  preview: Tally.parse(row.preview),
  applied: Tally.nullable().parse(row.applied),
  undone: Tally.nullable().parse(row.undone),
  actor: Actor.parse(row.actor),
});

/** @throws DomainFailure not_found */
export const findApplication = async (
  tx: Tx,
  instituteId: string,
  examId: string,
  number: number,
): Promise<StoredApplication> => {
  const row = await selectApplications(tx, instituteId)
    .where('exam_id', '=', examId)
    .where('number', '=', number)
    .executeTakeFirst();
  if (row === undefined) throw failure('no_such_preview');
  return parsed(row);
};

export const latestApplication = async (
  tx: Tx,
  instituteId: string,
  examId: string,
): Promise<StoredApplication | null> => {
  const row = await selectApplications(tx, instituteId)
    .where('exam_id', '=', examId)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : parsed(row);
};

export const readApplication = async (tx: Tx, instituteId: string, id: string): Promise<StoredApplication> =>
  parsed(await selectApplications(tx, instituteId).where('id', '=', id).executeTakeFirstOrThrow());

/** Locks the row. Locks of the exam and of a submission must be taken before. */
export const lockApplication = async (tx: Tx, instituteId: string, id: string): Promise<StoredApplication> =>
  parsed(
    await selectApplications(tx, instituteId).where('id', '=', id).forUpdate().executeTakeFirstOrThrow(),
  );

/** The caller holds the exam's lock, so numbers are given one after the other. */
export const insertPreview = async (
  tx: Tx,
  actor: Actor,
  preview: Pick<StoredApplication, 'id' | 'exam_id' | 'versions' | 'passing' | 'preview'>,
): Promise<number> => {
  const { number } = await tx
    .insertInto('guide_applications')
    .values({
      id: preview.id,
      institute_id: actor.institute_id,
      exam_id: preview.exam_id,
      number: sql<number>`(select coalesce(max(a.number), 0) + 1 from guide_applications a
        where a.institute_id = ${actor.institute_id} and a.exam_id = ${preview.exam_id})`,
      step: 'previewing',
      versions: json(preview.versions),
      passing: json(preview.passing),
      preview: json(preview.preview),
      actor: json(actor),
    })
    .returning('number')
    .executeTakeFirstOrThrow();
  return number;
};

const PhaseOf = { previewing: 'preview', applying: 'applied', undoing: 'undone' } as const;

/** Stores the progress of a pass. @param end the next step, if the pass has ended */
export const storeProgress = async (
  tx: Tx,
  instituteId: string,
  application: Pick<StoredApplication, 'id' | 'step'>,
  progress: { tally: Tally; afterCandidate: string | null; end?: GuideStep },
): Promise<void> => {
  const { step } = application;
  if (!(step === 'previewing' || step === 'applying' || step === 'undoing')) {
    throw new Error(`an application that is ${step} makes no progress`);
  }
  await tx
    .updateTable('guide_applications')
    .set({
      [PhaseOf[step]]: json(progress.tally),
      after_candidate: progress.afterCandidate,
      worked_at: sql<Date>`clock_timestamp()`,
      ...(progress.end === undefined ? {} : { step: progress.end }),
    })
    .where('institute_id', '=', instituteId)
    .where('id', '=', application.id)
    .execute();
};

export const startStep = async (
  tx: Tx,
  actor: Actor,
  id: string,
  start: { step: 'applying'; applied: Tally } | { step: 'undoing'; undone: Tally },
): Promise<void> => {
  await tx
    .updateTable('guide_applications')
    .set({
      step: start.step,
      ...('applied' in start ? { applied: json(start.applied) } : { undone: json(start.undone) }),
      after_candidate: null,
      actor: json(actor),
      worked_at: sql<Date>`clock_timestamp()`,
    })
    .where('institute_id', '=', actor.institute_id)
    .where('id', '=', id)
    .execute();
};

export const ApplicationNumber = z.int().gte(1).lte(2_147_483_647);
