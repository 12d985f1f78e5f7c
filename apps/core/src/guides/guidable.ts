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
import { isBlankText } from '@evaluation/rules';
import type { ReadyGuide } from './fittedGuides.ts';
import { markAndFlags } from './guideMarks.ts';

/** Why a guide does not mark a result. */
export const SKIP_REASONS = [
  'objective',
  'finalized',
  'teacher',
  'not_graded',
  'no_text',
  'no_guide',
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

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
  /** The grader's mark; null if there is none. */
  grader: MarkAndFlags | null;
  /** The mark of the latest application; null if none has marked the result. */
  guided: { application: number; mark: MarkAndFlags } | null;
  /** The teacher's mark, which counts instead of both. */
  override: number | null;
}

/** Reads the results of submissions in one statement, in the order of candidates. @param questionId null: all */
export const readGuidable = async (
  tx: Tx,
  instituteId: string,
  submissionIds: readonly string[],
  questionId: string | null = null,
): Promise<GuidableResult[]> => {
  const { rows } = await sql<GuidableResult>`
    select s.id as submission_id, s.candidate_id, s.status as submission_status,
      s.finalized_at is not null as is_finalized, s.approved_at is not null as is_approved,
      r.run_id, r.question_id, q.type <> 'long_answer' as is_objective, r.status, r.source, r.max::float8 as max,
      v.awarded::float8 as override, case when q.type = 'long_answer' then r.extracted_answer end as text,
      case when r.awarded is not null then ${markAndFlags('r')} end as grader,
      (select json_build_object('application', m.application, 'mark', ${markAndFlags('m')}) from reviews m
        where m.institute_id = s.institute_id and m.submission_id = s.id and m.question_id = r.question_id
          and m.application > 0
        order by m.application desc limit 1) as guided
    from submissions s
    join question_results r on r.institute_id = s.institute_id and r.run_id = s.current_run_id
    join questions q on q.institute_id = s.institute_id and q.id = r.question_id
    left join reviews v on v.institute_id = s.institute_id and v.submission_id = s.id and v.question_id = r.question_id
      and v.application = 0
    where s.institute_id = ${instituteId} and s.id = any(${submissionIds}::uuid[])
      ${questionId === null ? sql`` : sql`and r.question_id = ${questionId}`}
    order by s.candidate_id, q.position`.execute(tx);
  return rows;
};

const isMarked = (status: SubmissionStatus): boolean => status === 'graded' || status === 'partially_graded';

export interface GuidedResult {
  result: GuidableResult;
  prediction: Prediction;
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
  const { grader, text, max } = result;
  if (grader === null || result.status !== 'graded' || text === null || isBlankText(text) || max <= 0) {
    return 'no_text';
  }
  if (guide === null) return 'no_guide';
  const prediction = predict(
    guide.fitted,
    { text, graderShare: grader.awarded / max },
    { ...scaleOf(guide.fitted.model), maxMarks: max },
  );
  const isDrawn = isDrawnForAudit(guide.sha256, result);
  return {
    result,
    prediction,
    before: result.guided?.mark ?? grader,
    ...guidedMark(grader, prediction, { threshold, isDrawn }),
    version: guide.version,
    threshold,
  };
};

export const isChange = ({ before, after }: Pick<GuidedResult, 'before' | 'after'>): boolean =>
  before.awarded !== after.awarded ||
  before.confidence !== after.confidence ||
  before.needs_review !== after.needs_review ||
  before.review_reasons.join() !== after.review_reasons.join();
