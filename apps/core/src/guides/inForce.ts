import { sql } from 'kysely';
import { later, PREPARED, type Tx } from '@evaluation/database';
import { inSlices } from '@evaluation/platform/turns';
import * as z from 'zod/v4';
import { readGuide, type ReadyGuide } from './fittedGuides.ts';
import { decideMark, isChange, readGuidable, type GuidedResult } from './guidable.ts';
import { writeGuidedMarks } from './guidedMarks.ts';

export const Versions = z.record(z.uuid(), z.int());

/** What decides which marks pass without review. Counts are of leave-one-out predictions, pooled over the exam. */
export const Passing = z.object({
  target: z.number(),
  /** Least agreement of a mark that passes; null if none may. */
  threshold: z.number().nullable(),
  /** Share of the examples that would pass. */
  share: z.number(),
  agreement: z.number().nullable(),
  lower_bound: z.number().nullable(),
  examples: z.int(),
});
export type Passing = z.infer<typeof Passing>;

/** Guides of an exam as an application uses them. Guides that cannot be restored count as absent. */
export const guidesOf = async (
  tx: Tx,
  instituteId: string,
  versions: Readonly<Record<string, number>>,
): Promise<Map<string, ReadyGuide>> => {
  const guides = new Map<string, ReadyGuide>();
  for (const [questionId, version] of Object.entries(versions)) {
    const guide = await readGuide(tx, instituteId, questionId, version);
    if (guide !== null) guides.set(questionId, guide);
  }
  return guides;
};

export interface GuideInForce {
  application_id: string | null;
  is_stopped: boolean;
}

/**
 * Locks the guide of a submission's exam with the next statement of the transaction. A concurrent undo waits for the
 * lock on `exam_guides` and then sees the marks of this transaction. The application is read by a later statement,
 * because a statement that waited for the lock still reads its old snapshot.
 * @returns a function that gives the guide; null unless the exam's mode is `apply`
 */
export const lockGuide = async (
  tx: Tx,
  instituteId: string,
  submission: { id: string },
): Promise<() => GuideInForce | null> => {
  const rows = await later(
    tx,
    sql<GuideInForce>`
      ${PREPARED} select g.application_id, g.passing_stopped_at is not null as is_stopped
      from submissions s
      join exam_guides g on g.institute_id = s.institute_id and g.exam_id = s.exam_id
      where s.institute_id = ${instituteId} and s.id = ${submission.id} and g.mode = 'apply'
      for share of g`,
  );
  return () => rows()[0] ?? null;
};

/**
 * Marks the results of a run that completes by the application in force, in the transaction of the completion. Without
 * an application in force nothing happens.
 * @param settings the locked guide
 * @returns whether a mark changed
 */
export const guideCompletedRun = async (
  tx: Tx,
  instituteId: string,
  submission: { id: string },
  settings: GuideInForce | null,
): Promise<boolean> => {
  if (settings?.application_id == null) return false;
  const application = await tx
    .selectFrom('guide_applications')
    .select(['id', 'number', 'exam_id', 'versions', 'passing'])
    .where('institute_id', '=', instituteId)
    .where('id', '=', settings.application_id)
    .executeTakeFirstOrThrow();
  const guides = await guidesOf(tx, instituteId, Versions.parse(application.versions));
  const threshold = settings.is_stopped ? null : Passing.parse(application.passing).threshold;
  const results = await readGuidable(tx, instituteId, [submission.id]);
  const marks: GuidedResult[] = [];
  const pause = inSlices();
  for (const result of results) {
    await pause();
    const guide = guides.get(result.question_id) ?? null;
    // `graded`, because the run completes in this transaction.
    const decided = decideMark({ ...result, submission_status: 'graded' }, guide, threshold);
    if (typeof decided !== 'string' && isChange(decided)) marks.push(decided);
  }
  await writeGuidedMarks(tx, instituteId, application, marks);
  return marks.length > 0;
};
