import { sql } from 'kysely';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import {
  Annotation,
  CriterionResult,
  GradingError,
  listed,
  ResultQuery,
  type QuestionResult,
  type Result,
} from '@evaluation/rest-contract/schemas';
import { totalsOf } from '@evaluation/rules';
import type { Tx } from '@evaluation/database';
import type { Actor } from '@evaluation/signed-actor';
import * as z from 'zod/v4';
import { accept, isUuid } from '../accept.ts';
import type { Services } from '../services.ts';

/**
 * Question-wise marks, criteria and feedback (spec 2.7). The result of a deleted submission is no longer available.
 * @throws DomainFailure not_found, validation_failed
 */
export const getResult = (
  services: Services,
  actor: Actor,
  submissionId: string,
  query: unknown,
): Promise<Result> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const submission = await findSubmission(tx, actor.institute_id, submissionId);
    const include = listed(accept(ResultQuery, query).include);
    const questions = await readQuestionResults(tx, actor.institute_id, submission, include);
    return {
      submission_id: submission.id,
      exam_id: submission.exam_id,
      candidate: {
        id: submission.candidate_id,
        external_id: submission.external_id,
        name: submission.blind ? null : submission.name,
        roll_number: submission.roll_number,
      },
      status: submission.status,
      needs_review: submission.needs_review,
      review_reasons: submission.review_reasons,
      finalized: submission.finalized_at !== null,
      finalized_at: submission.finalized_at?.toISOString() ?? null,
      rubric_version: submission.rubric_version,
      totals: totalsOf(questions),
      questions,
      checked_copy: submission.has_checked_copy
        ? { available: true, download_path: `/submissions/${submission.id}/checked-copy` }
        : { available: false, download_path: null },
      graded_at: submission.graded_at?.toISOString() ?? null,
      credits_charged: submission.credits_charged === null ? null : Number(submission.credits_charged),
      error: submission.error === null ? null : GradingError.parse(submission.error),
    };
  });

interface SubmissionRow {
  id: string;
  exam_id: string;
  candidate_id: string;
  external_id: string;
  name: string | null;
  roll_number: string | null;
  blind: boolean;
  status: Result['status'];
  needs_review: boolean;
  review_reasons: string[];
  finalized_at: Date | null;
  rubric_version: number | null;
  current_run_id: string;
  graded_at: Date | null;
  credits_charged: string | null;
  error: unknown;
  has_checked_copy: boolean;
}

const findSubmission = async (tx: Tx, instituteId: string, submissionId: string): Promise<SubmissionRow> => {
  if (!isUuid(submissionId)) throw new DomainFailure('not_found');
  const { rows } = await sql<SubmissionRow>`
    select s.id, s.exam_id, s.candidate_id, c.external_id, c.name, c.roll_number, e.blind, s.status, s.needs_review,
      s.review_reasons, s.finalized_at, s.rubric_version, s.current_run_id, s.graded_at, s.credits_charged, s.error,
      exists (select from checked_copies k
        where k.submission_id = s.id and k.marks_revision = s.marks_revision) as has_checked_copy
    from submissions s
    join candidates c on c.id = s.candidate_id
    join exams e on e.id = s.exam_id and e.source = 'api'
    where s.institute_id = ${instituteId} and s.id = ${submissionId} and s.state <> 'deleted'`.execute(tx);
  const row = rows[0];
  if (row === undefined) throw new DomainFailure('not_found');
  return row;
};

interface QuestionRow {
  question_id: string;
  label: string;
  section: string;
  max: string;
  status: QuestionResult['status'] | null;
  counted: boolean | null;
  awarded: string | null;
  source: 'ai' | 'auto' | null;
  confidence: string | null;
  needs_review: boolean | null;
  review_reasons: string[] | null;
  extracted_answer: string | null;
  feedback: string | null;
  criteria: unknown;
  annotations: unknown;
  error: unknown;
  model_answer: string | null;
}

const readQuestionResults = async (
  tx: Tx,
  instituteId: string,
  submission: Pick<SubmissionRow, 'exam_id' | 'current_run_id' | 'rubric_version' | 'status' | 'error'>,
  include: ReadonlySet<string>,
): Promise<QuestionResult[]> => {
  const { rows } = await sql<QuestionRow>`
    select q.id as question_id, q.label, s.name as section, coalesce(r.max, q.max_marks) as max, r.status, r.counted,
      r.awarded, r.source, r.confidence, r.needs_review, r.review_reasons, r.extracted_answer, r.feedback, r.criteria,
      r.annotations, r.error,
      (select v.model_answer from rubric_versions v
        where v.question_id = q.id and v.version <= coalesce(${submission.rubric_version}::int, e.rubric_version)
        order by v.version desc, v.source limit 1) as model_answer
    from questions q
    join exams e on e.id = q.exam_id
    join sections s on s.id = q.section_id
    left join question_results r on r.run_id = ${submission.current_run_id} and r.question_id = q.id
    where q.institute_id = ${instituteId} and q.exam_id = ${submission.exam_id}
    order by q.position`.execute(tx);
  return rows.map((row) => ({
    question_id: row.question_id,
    label: row.label,
    section: row.section,
    ...standing(row, submission),
    counted: row.counted ?? true,
    awarded: row.awarded === null ? null : Number(row.awarded),
    max: Number(row.max),
    source: row.source,
    confidence: row.confidence === null ? null : Number(row.confidence),
    ...(include.has('-extracted_answer') ? {} : { extracted_answer: row.extracted_answer }),
    feedback: row.feedback,
    criteria: z.array(CriterionResult).parse(row.criteria ?? []),
    ...(include.has('model_answer') ? { model_answer: row.model_answer } : {}),
    ...(include.has('annotations') ? { annotations: z.array(Annotation).parse(row.annotations ?? []) } : {}),
    review: {
      reviewer: { ref: null, name: null },
      reason: null,
      edited: false,
      edited_at: null,
      approved: false,
    },
  }));
};

/** A question that the run has not decided stands as its submission does. */
const standing = (
  row: QuestionRow,
  submission: Pick<SubmissionRow, 'status' | 'error'>,
): Pick<QuestionResult, 'status' | 'needs_review' | 'review_reasons' | 'error'> => {
  if (row.status !== null) {
    return {
      status: row.status,
      needs_review: row.needs_review ?? false,
      review_reasons: row.review_reasons ?? [],
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
