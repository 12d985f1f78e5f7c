import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import { Actor } from '@evaluation/platform/signed-actor';
import { inSlices } from '@evaluation/platform/turns';
import * as z from 'zod/v4';
import { readGuide, type ReadyGuide } from './fittedGuides.ts';
import {
  decideMark,
  isChange,
  readGuidable,
  type GuidableResult,
  type GuidedResult,
  type SkipReason,
} from './guidable.ts';
import { insertGuideMarks } from './guideMarks.ts';

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

type Predicted = { result: GuidableResult; outcome: GuidedResult | SkipReason }[];

/**
 * Decides what the guides of an application make of the results of submissions. Guides that cannot be restored count as
 * absent.
 * @param at.isStopped no mark passes without review
 * @param at.isCompleting the runs of the submissions complete in this transaction
 */
export const predictMarks = async (
  tx: Tx,
  instituteId: string,
  { versions, passing }: { versions: z.infer<typeof Versions>; passing: Passing },
  submissionIds: readonly string[],
  { isStopped, isCompleting }: { isStopped: boolean; isCompleting: boolean },
): Promise<Predicted> => {
  const guides = new Map<string, ReadyGuide>();
  for (const [questionId, version] of Object.entries(versions)) {
    const guide = await readGuide(tx, instituteId, questionId, version);
    if (guide !== null) guides.set(questionId, guide);
  }
  const threshold = isStopped ? null : passing.threshold;
  const predicted: Predicted = [];
  const pause = inSlices();
  for (const found of await readGuidable(tx, instituteId, submissionIds)) {
    await pause();
    const result = isCompleting ? { ...found, submission_status: 'graded' as const } : found;
    predicted.push({
      result,
      outcome: decideMark(result, guides.get(result.question_id) ?? null, threshold),
    });
  }
  return predicted;
};

/** The predictions that change a mark, its confidence or its flags. */
export const changesOf = (predicted: Predicted): GuidedResult[] =>
  predicted.flatMap(({ outcome }) => (typeof outcome === 'string' || !isChange(outcome) ? [] : [outcome]));

export interface GuideInForce {
  exam_id: string;
  /** Number of the application in force. */
  in_force: number | null;
  is_stopped: boolean;
}

/**
 * Selects the guide of a submission's exam and locks it if the run completes; no row unless the exam's mode is `apply`.
 * A concurrent undo waits for the lock on `exam_guides` and then sees the marks of this transaction. The application is
 * read by a later statement, because a statement that waited for the lock still reads its old snapshot.
 */
export const selectGuide = (instituteId: string, submission: { id: string }, isCompleting: boolean) =>
  sql<GuideInForce>`
    select g.exam_id, g.in_force, g.passing_stopped_at is not null as is_stopped
    from submissions s
    join exam_guides g on g.institute_id = s.institute_id and g.exam_id = s.exam_id
    where s.institute_id = ${instituteId} and s.id = ${submission.id} and g.mode = 'apply'
    ${isCompleting ? sql`for share of g` : sql``}`;

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
  if (settings?.in_force == null) return false;
  const application = await tx
    .selectFrom('guide_applications')
    .select(['versions', 'passing', 'actor'])
    .where('institute_id', '=', instituteId)
    .where('exam_id', '=', settings.exam_id)
    .where('number', '=', settings.in_force)
    .executeTakeFirstOrThrow();
  const guides = {
    versions: Versions.parse(application.versions),
    passing: Passing.parse(application.passing),
  };
  const at = { isStopped: settings.is_stopped, isCompleting: true };
  const marks = changesOf(await predictMarks(tx, instituteId, guides, [submission.id], at));
  const { key_id } = Actor.parse(application.actor);
  await insertGuideMarks(tx, instituteId, { number: settings.in_force, keyId: key_id }, marks);
  return marks.length > 0;
};
