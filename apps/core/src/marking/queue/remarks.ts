import { sql } from 'kysely';
import type { Actor } from '@evaluation/platform/signed-actor';
import type { Services } from '../../command/services.ts';
import { findQuestionOfExam } from './openAnswers.ts';

interface Remark {
  text: string;
  /** Answers to which it was written. */
  answers: number;
  /** The mark of the answer to which it was written last. */
  awarded: number;
}

/** The newest marks whose comments are read: a term's marking of one question. */
const MOST_READ = 2000;
const MOST_REMARKS = 30;

/**
 * Comments that teachers have written with their marks of a question, the latest first: a bank of remarks that fills
 * itself. @throws DomainFailure exam_not_found, not_found
 */
export const remarksOfQuestion = (
  services: Services,
  actor: Actor,
  request: { exam_id: string; question_id: string },
): Promise<{ data: Remark[] }> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const { questionId } = await findQuestionOfExam(tx, actor, request.exam_id, request.question_id);
    const { rows } = await sql<Remark>`
      select reason as text, count(*)::int as answers,
        (array_agg(awarded::float8 order by edited_at desc))[1] as awarded
      from (
        select reason, awarded, edited_at from reviews
        where institute_id = ${actor.institute_id} and question_id = ${questionId} and application = 0
        order by edited_at desc limit ${MOST_READ}) newest
      where reason is not null
      group by reason order by max(edited_at) desc limit ${MOST_REMARKS}`.execute(tx);
    return { data: rows };
  });
