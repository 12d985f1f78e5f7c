import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import { joinReview } from '../../guides/guideMarks.ts';

export interface DecidedQuestion {
  question_id: string;
  status: string;
  source: 'ai' | 'auto' | null;
  needs_review: boolean;
  error: unknown;
}

/** A result of the run; `override`: a teacher's mark counts instead. */
export type MadeQuestion = DecidedQuestion & { override: boolean };

/** Replaces the run's marks by the overrides. */
export const effectiveOf = (made: readonly MadeQuestion[]): DecidedQuestion[] =>
  made.map(({ override, ...result }) =>
    override
      ? { ...result, status: 'graded', source: result.source ?? 'ai', needs_review: false, error: null }
      : result,
  );

/** Reads the results of the current run, and which of them a teacher's mark replaces. */
export const madeByRun = async (
  tx: Tx,
  instituteId: string,
  submission: { id: string; current_run_id: string },
): Promise<MadeQuestion[]> => {
  const { rows } = await sql<MadeQuestion>`
    select r.question_id, r.status, r.source, coalesce(v.needs_review, r.needs_review) as needs_review, r.error,
      coalesce(v.application = 0, false) as override
    from question_results r
    join submissions s on s.institute_id = r.institute_id and s.id = ${submission.id}
    ${joinReview}
    where r.institute_id = ${instituteId} and r.run_id = ${submission.current_run_id}`.execute(tx);
  return rows;
};

/** Reads the results of the current run, with overrides in place of its marks. */
export const resultsOfRun = async (
  tx: Tx,
  instituteId: string,
  submission: { id: string; current_run_id: string },
): Promise<DecidedQuestion[]> => effectiveOf(await madeByRun(tx, instituteId, submission));
