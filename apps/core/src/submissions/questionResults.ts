import { sql } from 'kysely';
import { runLanes, type RunLane } from '@evaluation/jobs-contract';
import {
  Annotation,
  CriterionResult,
  GradingError,
  type QuestionResult,
  type Result,
} from '@evaluation/rest-contract/schemas';
import type { Tx } from '@evaluation/database';
import { CriteriaOfTeacher, markedByTeacher } from '@evaluation/rules';
import * as z from 'zod/v4';
import { rubricInForce } from '../exams/paper/inForce.ts';

const Criteria = z.array(CriterionResult);
const GivenCriteria = CriteriaOfTeacher.nullable();
const Annotations = z.array(Annotation);

/** Columns of a submission that decide what its questions show. */
export interface Marked {
  id: string;
  exam_id: string;
  lane: RunLane;
  current_run_id: string;
  rubric_version: number | null;
  status: Result['status'];
  approved_at: Date | null;
  approved_by: string | null;
  error: unknown;
}

interface ReviewRow {
  submission_id: string;
  question_id: string;
  application: number;
  awarded: string;
  confidence: string | null;
  needs_review: boolean;
  review_reasons: string[];
  reviewer: string;
  reason: string | null;
  criteria: unknown;
  feedback: string | null;
  edited_at: Date;
}

interface PaperRow {
  question_id: string;
  label: string;
  section: string;
  max: string;
}

interface DecidedRow {
  run_id: string;
  question_id: string;
  status: QuestionResult['status'];
  counted: boolean;
  awarded: string | null;
  max: string;
  source: 'ai' | 'auto' | null;
  confidence: string | null;
  needs_review: boolean;
  review_reasons: string[];
  extracted_answer: string | null;
  feedback: string | null;
  criteria: unknown;
  annotations: unknown;
  error: unknown;
}

/**
 * Reads the questions of submissions of one exam in a fixed number of statements.
 * @returns a function from a submission to its questions, in paper order
 */
export const readQuestionResults = async (
  tx: Tx,
  instituteId: string,
  submissions: readonly Marked[],
  include: ReadonlySet<string>,
): Promise<(submission: Marked) => QuestionResult[]> => {
  const examId = submissions[0]?.exam_id;
  if (examId === undefined) return () => [];
  const paper = await sql<PaperRow>`
    select q.id as question_id, q.label, s.name as section, q.max_marks as max
    from questions q
    join sections s on s.institute_id = q.institute_id and s.id = q.section_id
    where q.institute_id = ${instituteId} and q.exam_id = ${examId}
    order by q.position`.execute(tx);
  // Fields that are not requested are not read: annotations and extracted answers are most of a page of results.
  const decided = await sql<DecidedRow>`
    select r.run_id, r.question_id, r.status, r.counted, r.awarded, r.max, r.source, r.confidence, r.needs_review,
      r.review_reasons, r.feedback, r.criteria, r.error,
      ${include.has('-extracted_answer') ? sql`null` : sql`r.extracted_answer`} as extracted_answer,
      ${include.has('annotations') ? sql`r.annotations` : sql`null`} as annotations
    from question_results r
    where r.institute_id = ${instituteId}
      and r.run_id = any(${submissions.map(({ current_run_id }) => current_run_id)}::uuid[])`.execute(tx);
  const reviews = await sql<ReviewRow>`
    select r.submission_id, r.question_id, r.application, r.awarded, r.confidence, r.needs_review, r.review_reasons,
      r.reviewer, r.reason, r.criteria, r.feedback, r.edited_at
    from reviews r
    where r.institute_id = ${instituteId}
      and r.submission_id = any(${submissions.map(({ id }) => id)}::uuid[])`.execute(tx);
  const { overrideOf, guideMarkOf } = byResult(reviews.rows);
  const decidedOf = new Map(decided.rows.map((row) => [`${row.run_id} ${row.question_id}`, row]));
  const modelAnswerOf = include.has('model_answer')
    ? await readModelAnswers(tx, instituteId, examId, submissions)
    : null;
  return (submission) =>
    paper.rows.map((question) => {
      const override = overrideOf.get(`${submission.id} ${question.question_id}`);
      const row = guided(
        shown(decidedOf.get(`${submission.current_run_id} ${question.question_id}`), submission),
        guideMarkOf.get(`${submission.id} ${question.question_id}`),
      );
      return {
        question_id: question.question_id,
        label: question.label,
        section: question.section,
        ...statusOf(row, submission),
        counted: row?.counted ?? true,
        awarded: numberOf(row?.awarded),
        max: Number(row?.max ?? question.max),
        source: row?.source ?? null,
        ...(override === undefined ? {} : overridden(override)),
        confidence: numberOf(row?.confidence),
        ...(include.has('-extracted_answer') ? {} : { extracted_answer: row?.extracted_answer ?? null }),
        feedback: override?.feedback ?? row?.feedback ?? null,
        criteria: shownCriteria(row, override),
        ...(modelAnswerOf === null ? {} : { model_answer: modelAnswerOf(submission, question.question_id) }),
        ...(include.has('annotations') ? { annotations: Annotations.parse(row?.annotations ?? []) } : {}),
        review: {
          // The service has no names of reviewers (open point `override-fields`).
          reviewer: { ref: override?.reviewer ?? submission.approved_by, name: null },
          reason: override?.reason ?? null,
          edited: override !== undefined,
          edited_at: override?.edited_at.toISOString() ?? null,
          approved: submission.approved_at !== null,
        },
      };
    });
};

/** The teacher's marks, and the marks of the latest application of guides, by submission and question. */
const byResult = (reviews: readonly ReviewRow[]) => {
  const keyed = reviews
    .toSorted((one, other) => one.application - other.application)
    .map((row) => [`${row.submission_id} ${row.question_id}`, row] as const);
  return {
    overrideOf: new Map(keyed.filter(([, { application }]) => application === 0)),
    guideMarkOf: new Map(keyed.filter(([, { application }]) => application > 0)),
  };
};

/** A guide's mark is shown as a mark by the AI, with the guide's confidence and flags. */
const guided = (row: DecidedRow | undefined, mark: ReviewRow | undefined): DecidedRow | undefined => {
  if (row === undefined || mark === undefined) return row;
  const { awarded, confidence, needs_review, review_reasons } = mark;
  return { ...row, awarded, confidence, needs_review, review_reasons };
};

const shownCriteria = (row: DecidedRow | undefined, override: ReviewRow | undefined): CriterionResult[] => {
  const criteria = Criteria.parse(row?.criteria ?? []);
  return markedByTeacher(criteria, GivenCriteria.parse(override?.criteria ?? null)) ?? criteria;
};

/** A question with an override counts as graded, whatever its run decided. */
const overridden = ({
  awarded,
}: ReviewRow): Pick<
  QuestionResult,
  'status' | 'awarded' | 'source' | 'needs_review' | 'review_reasons' | 'error'
> => ({
  status: 'graded',
  awarded: Number(awarded),
  source: 'ai_reviewed',
  needs_review: false,
  review_reasons: [],
  error: null,
});

const numberOf = (decimal: string | null | undefined): number | null =>
  decimal == null ? null : Number(decimal);

/**
 * Results that may be shown: those of the AI only after the run is complete and charged. Marks by key and blank typed
 * answers need no AI and are shown at once.
 */
const shown = (row: DecidedRow | undefined, submission: Marked): DecidedRow | undefined => {
  const isComplete = submission.status === 'graded' || submission.status === 'partially_graded';
  const neededNoAi =
    row?.source === 'auto' ||
    (runLanes[submission.lane].grades === 'answers' && row?.status === 'not_answered');
  return isComplete || neededNoAi ? row : undefined;
};

/** Status of a question: of its result, or of the submission if it has no result to show. */
const statusOf = (
  row: DecidedRow | undefined,
  submission: Marked,
): Pick<QuestionResult, 'status' | 'needs_review' | 'review_reasons' | 'error'> => {
  if (row !== undefined) {
    return {
      status: row.status,
      needs_review: row.needs_review,
      review_reasons: row.review_reasons,
      error: row.error === null ? null : GradingError.parse(row.error),
    };
  }
  if (submission.status === 'failed') {
    const error = GradingError.parse(submission.error);
    return { status: 'failed', needs_review: true, review_reasons: ['failed'], error };
  }
  const status = submission.status === 'cancelled' ? 'cancelled' : 'pending';
  return { status, needs_review: false, review_reasons: [], error: null };
};

/** Model answers at the rubric version of each submission; without a version, the present ones. */
const readModelAnswers = async (
  tx: Tx,
  instituteId: string,
  examId: string,
  submissions: readonly Marked[],
): Promise<(submission: Marked, questionId: string) => string | null> => {
  const versions = [...new Set(submissions.map(({ rubric_version }) => rubric_version))];
  const { rows } = await sql<{ version: number | null; question_id: string; model_answer: string }>`
    select asked.version, q.id as question_id, v.model_answer
    from questions q
    join exams e on e.institute_id = q.institute_id and e.id = q.exam_id
    cross join unnest(${versions}::int[]) as asked (version)
    cross join lateral ${rubricInForce(sql`coalesce(asked.version, e.rubric_version)`)} v
    where q.institute_id = ${instituteId} and q.exam_id = ${examId} and v.model_answer is not null`.execute(
    tx,
  );
  const answers = new Map(rows.map((row) => [`${row.version} ${row.question_id}`, row.model_answer]));
  return (submission, questionId) => answers.get(`${submission.rubric_version} ${questionId}`) ?? null;
};
