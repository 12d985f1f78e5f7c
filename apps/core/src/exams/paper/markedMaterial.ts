import { Annotation, CriterionResult, GradingError } from '@evaluation/rest-contract/schemas';
import { CriteriaOfTeacher } from '@evaluation/rules';
import type { Tx } from '@evaluation/database';
import * as z from 'zod/v4';
import { Ink } from '@evaluation/rules/marked-page';
import { readGuideMarks } from '../../guides/guideMarks.ts';
import type { RunKey } from '../../command/runKey.ts';

/* Candidate and marks of a submission as a worker receives them for grading or for drawing a checked copy. */

export const Candidate = z.object({
  external_id: z.string(),
  /** Null on a blind exam. */
  name: z.string().nullable(),
  roll_number: z.string().nullable(),
});

export const DecidedQuestion = z.object({
  question_id: z.uuid(),
  status: z.enum(['graded', 'failed', 'pending', 'cancelled', 'not_answered']),
  awarded: z.number().nullable(),
  feedback: z.string().nullable(),
  needs_review: z.boolean(),
  criteria: z.array(CriterionResult),
  annotations: z.array(Annotation),
  error: GradingError.nullable(),
});

/** Mark of a teacher that counts instead of the run's mark. */
export const OverrideInForce = z.object({
  question_id: z.uuid(),
  awarded: z.number(),
  /** The teacher's comment. */
  reason: z.string().nullable(),
  /** Null if the teacher gave only the sum. */
  criteria: CriteriaOfTeacher.nullable(),
  /** The teacher's text instead of the feedback of the AI. */
  feedback: z.string().nullable(),
});

export type OverrideInForce = z.infer<typeof OverrideInForce>;

/** Strokes of teachers, in the order in which they were drawn. */
export const readInk = async (tx: Tx, instituteId: string, submissionId: string): Promise<StoredInk[]> => {
  const rows = await tx
    .selectFrom('marking_ink')
    .select(['id', 'ink', 'staff_id'])
    .where('institute_id', '=', instituteId)
    .where('submission_id', '=', submissionId)
    .where('ink', 'is not', null)
    .orderBy('drawn_at')
    .orderBy('id')
    .execute();
  return rows.map(({ ink, ...row }) => ({ ...row, ink: Ink.parse(ink) }));
};

interface StoredInk {
  id: string;
  ink: Ink;
  staff_id: string;
}

export const readCandidate = async (
  tx: Tx,
  instituteId: string,
  submission: { exam_id: string; candidate_id: string },
): Promise<z.infer<typeof Candidate>> => {
  const { blind, ...candidate } = await tx
    .selectFrom('candidates as c')
    .innerJoin('exams as e', (join) => join.on('e.id', '=', submission.exam_id))
    .select(['c.external_id', 'c.name', 'c.roll_number', 'e.blind'])
    .where('c.institute_id', '=', instituteId)
    .where('c.id', '=', submission.candidate_id)
    .executeTakeFirstOrThrow();
  return blind ? { ...candidate, name: null } : candidate;
};

export const readDecided = async (tx: Tx, run: RunKey): Promise<z.infer<typeof DecidedQuestion>[]> => {
  const results = await tx
    .selectFrom('question_results')
    .select([
      'question_id',
      'status',
      'awarded',
      'feedback',
      'needs_review',
      'criteria',
      'annotations',
      'error',
    ])
    .where('institute_id', '=', run.institute_id)
    .where('run_id', '=', run.run_id)
    .execute();
  const guideMarks = await readGuideMarks(tx, run.institute_id, run.run_id);
  return results.map((result) => ({
    ...result,
    ...shownMark(result, guideMarks.get(result.question_id)?.mark),
    criteria: z.array(CriterionResult).parse(result.criteria),
    annotations: z.array(Annotation).parse(result.annotations),
    error: result.error === null ? null : GradingError.parse(result.error),
  }));
};

const shownMark = (
  result: { awarded: string | null; needs_review: boolean },
  byGuide: { awarded: number; needs_review: boolean } | undefined,
) => ({
  awarded: byGuide?.awarded ?? (result.awarded === null ? null : Number(result.awarded)),
  needs_review: (byGuide ?? result).needs_review,
});

export const readOverrides = async (
  tx: Tx,
  instituteId: string,
  submissionId: string,
): Promise<OverrideInForce[]> => {
  const overrides = await tx
    .selectFrom('reviews')
    .select(['question_id', 'awarded', 'reason', 'criteria', 'feedback'])
    .where('institute_id', '=', instituteId)
    .where('submission_id', '=', submissionId)
    .where('application', '=', 0)
    .execute();
  return overrides.map((override) =>
    OverrideInForce.parse({ ...override, awarded: Number(override.awarded) }),
  );
};
