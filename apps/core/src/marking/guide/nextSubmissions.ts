import type { Tx } from '@evaluation/database';

/**
 * Live submissions of an exam after a candidate, in the order of candidates. Each candidate has at most one live
 * submission; a replacement keeps the candidate's place.
 * @param submissionId the only submission that is wanted; null: all
 */
export const nextSubmissions = (
  tx: Tx,
  instituteId: string,
  examId: string,
  afterCandidate: string | null,
  limit: number,
  submissionId: string | null = null,
): Promise<{ id: string; candidate_id: string }[]> =>
  tx
    .selectFrom('submissions')
    .select(['id', 'candidate_id'])
    .where('institute_id', '=', instituteId)
    .where('exam_id', '=', examId)
    .where('state', '=', 'live')
    .$if(afterCandidate !== null, (query) => query.where('candidate_id', '>', afterCandidate))
    .$if(submissionId !== null, (query) => query.where('id', '=', submissionId))
    .orderBy('candidate_id')
    .limit(limit)
    .execute();
