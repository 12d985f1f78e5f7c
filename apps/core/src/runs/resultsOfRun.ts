import type { Tx } from '@evaluation/database';

export interface DecidedQuestion {
  question_id: string;
  status: string;
  source: 'ai' | 'auto' | null;
  needs_review: boolean;
  error: unknown;
}

/** Results `made` by the run, and `effective` with overrides in place of the run's marks. */
export const resultsOfRun = async (
  tx: Tx,
  instituteId: string,
  submission: { id: string; current_run_id: string },
): Promise<{ made: DecidedQuestion[]; effective: DecidedQuestion[] }> => {
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
  return {
    made: rows,
    effective: rows.map(({ override, ...result }) =>
      override === null
        ? result
        : { ...result, status: 'graded', source: result.source ?? 'ai', needs_review: false, error: null },
    ),
  };
};
