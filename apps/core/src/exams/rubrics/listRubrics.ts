import { sql } from 'kysely';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import type { Rubric, RubricList } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/platform/signed-actor';
import { findExam } from '../../command/locks/findExam.ts';
import { isVisibleTo } from '../../command/locks/visibleExams.ts';
import type { Services } from '../../command/services.ts';
import { rubricInForce } from '../paper/inForce.ts';
import { savePendingRubricsOfExam } from '../paper/savePending.ts';

interface ExamRubrics {
  rubric_version: number;
  questions: {
    question_id: string;
    label: string;
    rubric: Rubric | null;
    model_answer: string | null;
    source: 'client' | 'generated' | null;
  }[];
}

/**
 * Reads version and rubrics in one statement, so that they belong together.
 * @throws DomainFailure exam_not_found, service_unavailable while the first version cannot be saved
 */
export const listRubrics = (
  services: Pick<Services, 'database'>,
  actor: Actor,
  examId: string,
): Promise<RubricList> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const { id } = await findExam(tx, actor, examId);
    await savePendingRubricsOfExam(tx, actor.institute_id, id);
    const exam = (await statement(actor, id).execute(tx)).rows[0];
    if (exam === undefined) throw new DomainFailure('exam_not_found');
    return {
      version: exam.rubric_version,
      questions: exam.questions.map(({ source, ...question }) =>
        source === 'generated' ? { ...question, source } : question,
      ),
    };
  });

const statement = (actor: Actor, examId: string) => sql<ExamRubrics>`
  select e.rubric_version,
    coalesce((
      select json_agg(json_build_object('question_id', q.id, 'label', q.label, 'rubric', v.rubric,
        'model_answer', v.model_answer, 'source', v.source) order by q.position)
      from questions q
      left join lateral ${rubricInForce(sql`e.rubric_version`)} v on true
      where q.institute_id = e.institute_id and q.exam_id = e.id and q.type = 'long_answer'), '[]') as questions
  from exams e
  where e.institute_id = ${actor.institute_id} and e.id = ${examId} and ${isVisibleTo(actor)} and e.status <> 'deleted'`;
