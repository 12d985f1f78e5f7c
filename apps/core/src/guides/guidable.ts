import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import {
  guidedMark,
  isDrawnForAudit,
  predict,
  scaleOf,
  type MarkAndFlags,
  type Prediction,
} from '@evaluation/guide';
import type { SubmissionStatus } from '@evaluation/rest-contract/schemas';
import { exact, isBlankText } from '@evaluation/rules';
import * as z from 'zod/v4';
import type { ReadyGuide } from './fittedGuides.ts';

/** Why a guide does not mark a result. */
export const SKIP_REASONS = [
  'objective',
  'finalized',
  'teacher',
  'not_graded',
  'no_text',
  'no_guide',
  'changed_since',
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

export const StoredMark: z.ZodType<MarkAndFlags> = z.object({
  awarded: z.number(),
  confidence: z.number().nullable(),
  needs_review: z.boolean(),
  review_reasons: z.array(z.string()),
});

/** A result of the current run of a live submission. */
export interface GuidableResult {
  submission_id: string;
  candidate_id: string;
  submission_status: SubmissionStatus;
  is_finalized: boolean;
  is_approved: boolean;
  run_id: string;
  question_id: string;
  is_objective: boolean;
  status: string;
  source: 'ai' | 'auto' | null;
  max: number;
  /** The answer; null if there is none, if it was erased, and for objective questions. */
  text: string | null;
  /** The mark in question_results: the grader's, or the guide's. Null if there is none. */
  mark: MarkAndFlags | null;
  override: number | null;
  /** What a guide has set, if it is in force. */
  guided: { application_id: string; version: number; grader: MarkAndFlags } | null;
}

/** Reads the results of submissions in one statement, in the order of candidates. @param questionId null: all */
export const readGuidable = async (
  tx: Tx,
  instituteId: string,
  submissionIds: readonly string[],
  questionId: string | null = null,
): Promise<GuidableResult[]> => {
  const { rows } = await sql<Row>`
    select s.id as submission_id, s.candidate_id, s.status as submission_status,
      s.finalized_at is not null as is_finalized, s.approved_at is not null as is_approved,
      r.run_id, r.question_id, q.type <> 'long_answer' as is_objective, r.status, r.source, r.max, r.awarded,
      r.confidence, r.needs_review, r.review_reasons, v.awarded as override, g.application_id, g.version, g.grader,
      case when q.type = 'long_answer' then r.extracted_answer end as text
    from submissions s
    join question_results r on r.institute_id = s.institute_id and r.run_id = s.current_run_id
    join questions q on q.institute_id = s.institute_id and q.id = r.question_id
    left join reviews v on v.institute_id = s.institute_id and v.submission_id = s.id and v.question_id = r.question_id
    left join lateral (
      select m.application_id, m.version, m.grader from guided_marks m
      where m.institute_id = s.institute_id and m.run_id = r.run_id and m.question_id = r.question_id
        and m.undone_at is null
      order by m.number desc limit 1) g on true
    where s.institute_id = ${instituteId} and s.id = any(${submissionIds}::uuid[])
      ${questionId === null ? sql`` : sql`and r.question_id = ${questionId}`}
    order by s.candidate_id, q.position`.execute(tx);
  return rows.map(
    ({ awarded, confidence, needs_review, review_reasons, application_id, version, grader, ...row }) => ({
      ...row,
      max: Number(row.max),
      override: row.override === null ? null : Number(row.override),
      mark:
        awarded === null
          ? null
          : {
              awarded: Number(awarded),
              confidence: confidence === null ? null : Number(confidence),
              needs_review,
              review_reasons,
            },
      guided:
        application_id === null || version === null
          ? null
          : { application_id, version, grader: StoredMark.parse(grader) },
    }),
  );
};

type Row = Omit<GuidableResult, 'max' | 'override' | 'mark' | 'guided'> & {
  max: string;
  override: string | null;
  awarded: string | null;
  confidence: string | null;
  needs_review: boolean;
  review_reasons: string[];
  application_id: string | null;
  version: number | null;
  grader: unknown;
};

const isMarked = (status: SubmissionStatus): boolean => status === 'graded' || status === 'partially_graded';

export interface GuidedResult {
  result: GuidableResult;
  prediction: Prediction;
  grader: MarkAndFlags;
  before: MarkAndFlags;
  after: MarkAndFlags;
  passes: boolean;
  audited: boolean;
  version: number;
  threshold: number | null;
}

/**
 * Decides what a guide makes of a result: the mark, or why it is skipped. Marks by a teacher, finalized results and
 * objective questions are never touched.
 * @param guide null if the question has none
 * @param threshold least agreement of a mark that passes without review; null if none may
 */
export const decideMark = (
  result: GuidableResult,
  guide: ReadyGuide | null,
  threshold: number | null,
): GuidedResult | SkipReason => {
  if (result.is_objective) return 'objective';
  if (result.is_finalized) return 'finalized';
  if (result.override !== null || result.is_approved) return 'teacher';
  if (!isMarked(result.submission_status)) return 'not_graded';
  if (result.status === 'failed' || (result.status === 'graded' && result.source !== 'ai'))
    return 'not_graded';
  const { mark, text, max } = result;
  if (mark === null || result.status !== 'graded' || text === null || isBlankText(text) || max <= 0) {
    return 'no_text';
  }
  if (guide === null) return 'no_guide';
  const grader = result.guided?.grader ?? mark;
  const prediction = predict(
    guide.fitted,
    { text, graderShare: grader.awarded / max },
    { ...scaleOf(guide.fitted.model), maxMarks: max },
  );
  const isDrawn = isDrawnForAudit(guide.sha256, result);
  return {
    result,
    prediction,
    grader,
    before: mark,
    ...guidedMark(grader, prediction, { threshold, isDrawn }),
    version: guide.version,
    threshold,
  };
};

export const differenceOf = ({ before, after }: Pick<GuidedResult, 'before' | 'after'>): number =>
  exact(after.awarded).minus(before.awarded).toNumber();

export const isChange = ({ before, after }: Pick<GuidedResult, 'before' | 'after'>): boolean =>
  before.awarded !== after.awarded ||
  before.confidence !== after.confidence ||
  before.needs_review !== after.needs_review ||
  before.review_reasons.join() !== after.review_reasons.join();
