import { sql, type RawBuilder } from 'kysely';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { GradingError, type Result } from '@evaluation/rest-contract/schemas';
import { totalsOf } from '@evaluation/rules';
import type { Tx } from '@evaluation/database';
import type { Viewer } from '../command/locks/visibleExams.ts';
import { shownCandidate } from '../exams/candidates/shownCandidate.ts';
import { readQuestionResults, type Marked } from './questionResults.ts';
import { chosenSubmissions, type Choice } from './representation.ts';

/** Columns behind a result. `updated_at` is the submission's; it orders the list and is not shown. */
export interface ResultRow extends Marked {
  candidate_id: string;
  external_id: string;
  name: string | null;
  roll_number: string | null;
  needs_review: boolean;
  review_reasons: string[];
  finalized_at: Date | null;
  graded_at: Date | null;
  credits_charged: string | null;
  has_checked_copy: boolean;
  updated_at: Date;
}

/** Selects results. Exported for a test of its plan. */
export const resultRows = (viewer: Viewer, choice: Choice): RawBuilder<ResultRow> => sql<ResultRow>`
  select s.id, s.exam_id, c.id as candidate_id, c.external_id, c.name, c.roll_number, s.lane, s.approved_at, s.approved_by, s.status, s.needs_review, s.review_reasons, s.finalized_at, s.rubric_version, s.current_run_id,
    s.graded_at, s.credits_charged, s.error, s.updated_at,
    exists (select from checked_copies k
      where k.institute_id = s.institute_id and k.submission_id = s.id and k.marks_revision = s.marks_revision) as has_checked_copy
  from ${chosenSubmissions(viewer.institute_id, choice)} s
  join lateral ${shownCandidate(viewer, 's')} c on true
  order by s.updated_at, s.id`;

export const showResults = async (
  tx: Tx,
  instituteId: string,
  rows: readonly ResultRow[],
  include: ReadonlySet<string>,
): Promise<Result[]> => {
  const questionsOf = await readQuestionResults(tx, instituteId, rows, include);
  return rows.map((row) => {
    const questions = questionsOf(row);
    return {
      submission_id: row.id,
      exam_id: row.exam_id,
      candidate: {
        id: row.candidate_id,
        external_id: row.external_id,
        name: row.name,
        roll_number: row.roll_number,
      },
      status: row.status,
      needs_review: row.needs_review,
      review_reasons: row.review_reasons,
      finalized: row.finalized_at !== null,
      finalized_at: row.finalized_at?.toISOString() ?? null,
      rubric_version: row.rubric_version,
      totals: totalsOf(questions),
      questions,
      checked_copy: row.has_checked_copy
        ? { available: true, download_path: `/submissions/${row.id}/checked-copy` }
        : { available: false, download_path: null },
      graded_at: row.graded_at?.toISOString() ?? null,
      credits_charged: row.credits_charged === null ? null : Number(row.credits_charged),
      error: row.error === null ? null : GradingError.parse(row.error),
    };
  });
};

/** Reads a result without extracted answers, of any exam and state. @throws DomainFailure not_found */
export const readResultOf = async (tx: Tx, instituteId: string, submissionId: string): Promise<Result> => {
  const { rows } = await resultRows(
    { institute_id: instituteId },
    { where: sql<boolean>`s.id = ${submissionId}` },
  ).execute(tx);
  const [result] = await showResults(tx, instituteId, rows, new Set(['-extracted_answer']));
  if (result === undefined) throw new DomainFailure('not_found');
  return result;
};
