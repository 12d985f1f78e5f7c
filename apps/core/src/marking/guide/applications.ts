import { sql } from 'kysely';
import { json, type Tx } from '@evaluation/database';
import { Actor } from '@evaluation/platform/signed-actor';
import * as z from 'zod/v4';
import { failure } from '../../command/failures.ts';
import { Passing, Versions } from '../../guides/inForce.ts';
import { NO_RESULTS, Tally } from './tally.ts';

/*
 * An application of guides to the results of an exam. It passes over the candidates of the exam up to three times
 * (passes.ts): to preview, to apply and to undo. A row has the progress of its latest pass, which `ended_at` ends.
 * `exam_guides.in_force` is its number from the beginning of `apply` to that of `undo`.
 */

export type Pass = 'preview' | 'apply' | 'undo';

const Counts = z.object({ preview: Tally, apply: Tally.optional(), undo: Tally.optional() });

export interface StoredApplication {
  exam_id: string;
  number: number;
  versions: Record<string, number>;
  passing: Passing;
  pass: Pass;
  after_candidate: string | null;
  has_ended: boolean;
  counts: z.infer<typeof Counts>;
  actor: Actor;
}

/** An application as the router returns it. */
export interface Application extends Pick<StoredApplication, 'number' | 'versions' | 'passing'> {
  step: 'previewing' | 'previewed' | 'applying' | 'applied' | 'undoing' | 'undone';
  preview: Tally;
  applied: Tally | null;
  undone: Tally | null;
}

export const shownApplication = (application: StoredApplication): Application => {
  const { number, versions, passing, counts, has_ended: hasEnded } = application;
  const step = {
    preview: hasEnded ? ('previewed' as const) : ('previewing' as const),
    apply: hasEnded ? ('applied' as const) : ('applying' as const),
    undo: hasEnded ? ('undone' as const) : ('undoing' as const),
  }[application.pass];
  const { preview, apply: applied = null, undo: undone = null } = counts;
  return { number, step, versions, passing, preview, applied, undone };
};

const selectApplications = (tx: Tx, instituteId: string, examId: string) =>
  tx
    .selectFrom('guide_applications')
    .select(['exam_id', 'number', 'versions', 'passing', 'pass', 'after_candidate', 'counts', 'actor'])
    .select(sql<boolean>`ended_at is not null`.as('has_ended'))
    .where('institute_id', '=', instituteId)
    .where('exam_id', '=', examId);

type Row = Awaited<ReturnType<ReturnType<typeof selectApplications>['executeTakeFirstOrThrow']>>;

const parsed = (row: Row): StoredApplication => ({
  ...row,
  versions: Versions.parse(row.versions),
  passing: Passing.parse(row.passing),
  counts: Counts.parse(row.counts),
  actor: Actor.parse(row.actor),
});

export const latestApplication = async (
  tx: Tx,
  instituteId: string,
  examId: string,
): Promise<StoredApplication | null> => {
  const row = await selectApplications(tx, instituteId, examId)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : parsed(row);
};

type Named = Pick<StoredApplication, 'exam_id' | 'number'>;

/** @throws DomainFailure not_found */
export const readApplication = (tx: Tx, instituteId: string, named: Named): Promise<StoredApplication> =>
  found(selectApplications(tx, instituteId, named.exam_id).where('number', '=', named.number));

/** Locks the row. Locks of the exam and of submissions must be taken before. @throws DomainFailure not_found */
export const lockApplication = (tx: Tx, instituteId: string, named: Named): Promise<StoredApplication> =>
  found(selectApplications(tx, instituteId, named.exam_id).where('number', '=', named.number).forUpdate());

const found = async (query: ReturnType<typeof selectApplications>): Promise<StoredApplication> => {
  const row = await query.executeTakeFirst();
  if (row === undefined) throw failure('no_such_preview');
  return parsed(row);
};

/** The caller holds the exam's lock, so numbers are given one after the other. */
export const insertPreview = async (
  tx: Tx,
  actor: Actor,
  preview: Pick<StoredApplication, 'exam_id' | 'versions' | 'passing'>,
): Promise<number> => {
  const { number } = await tx
    .insertInto('guide_applications')
    .values({
      institute_id: actor.institute_id,
      exam_id: preview.exam_id,
      number: sql<number>`(select coalesce(max(a.number), 0) + 1 from guide_applications a
        where a.institute_id = ${actor.institute_id} and a.exam_id = ${preview.exam_id})`,
      versions: json(preview.versions),
      passing: json(preview.passing),
      counts: json({ preview: NO_RESULTS }),
      actor: json(actor),
    })
    .returning('number')
    .executeTakeFirstOrThrow();
  return number;
};

export const startPass = (
  tx: Tx,
  actor: Actor,
  { exam_id, number, counts }: StoredApplication,
  pass: 'apply' | 'undo',
): Promise<unknown> =>
  updateApplication(tx, actor.institute_id, { exam_id, number })
    .set({
      pass,
      after_candidate: null,
      ended_at: null,
      counts: json({ ...counts, [pass]: NO_RESULTS }),
      actor: json(actor),
    })
    .execute();

/** Stores the progress of the application's pass. */
export const storeProgress = (
  tx: Tx,
  instituteId: string,
  { exam_id, number, counts, pass }: StoredApplication,
  progress: { tally: Tally; afterCandidate: string | null; hasEnded: boolean },
): Promise<unknown> =>
  updateApplication(tx, instituteId, { exam_id, number })
    .set({
      after_candidate: progress.afterCandidate,
      counts: json({ ...counts, [pass]: progress.tally }),
      ...(progress.hasEnded ? { ended_at: sql<Date>`clock_timestamp()` } : {}),
    })
    .execute();

const updateApplication = (
  tx: Tx,
  instituteId: string,
  { exam_id, number }: { exam_id: string; number: number },
) =>
  tx
    .updateTable('guide_applications')
    .set({ worked_at: sql<Date>`clock_timestamp()` })
    .where('institute_id', '=', instituteId)
    .where('exam_id', '=', exam_id)
    .where('number', '=', number);

export const ApplicationNumber = z.int().gte(1).lte(2_147_483_647);
