import type { Tx } from '@evaluation/database';

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
  const rows = await tx
    .selectFrom('question_results as q')
    .leftJoin('reviews as r', (join) =>
      join
        .onRef('r.institute_id', '=', 'q.institute_id')
        .on('r.submission_id', '=', submission.id)
        .onRef('r.question_id', '=', 'q.question_id'),
    )
    .select(['q.question_id', 'q.status', 'q.source', 'q.needs_review', 'q.error', 'r.awarded as override'])
    .where('q.institute_id', '=', instituteId)
    .where('q.run_id', '=', submission.current_run_id)
    .execute();
  return rows.map((row) => ({ ...row, override: row.override !== null }));
};

/** Reads the results of the current run, with overrides in place of its marks. */
export const resultsOfRun = async (
  tx: Tx,
  instituteId: string,
  submission: { id: string; current_run_id: string },
): Promise<DecidedQuestion[]> => effectiveOf(await madeByRun(tx, instituteId, submission));
