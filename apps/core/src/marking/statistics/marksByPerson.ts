import { sql } from 'kysely';
import type { Actor } from '@evaluation/platform/signed-actor';
import { findExam } from '../../command/locks/findExam.ts';
import type { Services } from '../../command/services.ts';
import { staffNames } from '../screen/staffNames.ts';

interface MarksByPerson {
  questions: { question_id: string; label: string }[];
  /** Those with the most marks first. */
  people: {
    /** An account or an API key. */
    id: string;
    /** Null for an API key. */
    name: string | null;
    total: number;
    /** Marks in the order of `questions`. */
    marks: number[];
  }[];
  /** False if more than MOST_PEOPLE have marked. */
  is_complete: boolean;
}

const MOST_PEOPLE = 100;

/**
 * Who marked what: teachers' marks that count now, of live submissions, by person and question. An earlier mark that a
 * colleague has replaced is in the audit alone. @throws DomainFailure exam_not_found
 */
export const readMarksByPerson = async (
  services: Services,
  actor: Actor,
  examId: string,
): Promise<MarksByPerson> => {
  const { institute_id: instituteId } = actor;
  const { questions, rows } = await services.database.inTenant(instituteId, async (tx) => {
    const exam = await findExam(tx, actor, examId);
    const asked = await tx
      .selectFrom('questions')
      .select(['id as question_id', 'label'])
      .where('institute_id', '=', instituteId)
      .where('exam_id', '=', exam.id)
      .orderBy('position')
      .execute();
    const counted = await sql<{ id: string; total: number; counts: Record<string, number> }>`
      select id, sum(marks)::int as total, json_object_agg(question_id, marks) as counts
      from (
        select v.key_id as id, v.question_id, count(*)::int as marks
        from reviews v
        join submissions s on s.institute_id = v.institute_id and s.id = v.submission_id and s.state = 'live'
        where v.institute_id = ${instituteId} and v.application = 0
          and v.question_id = any(${asked.map(({ question_id }) => question_id)}::uuid[])
        group by v.key_id, v.question_id) m
      group by id order by total desc, id limit ${MOST_PEOPLE + 1}`.execute(tx);
    return { questions: asked, rows: counted.rows };
  });
  const shown = rows.slice(0, MOST_PEOPLE);
  const names = await staffNames(
    services,
    instituteId,
    shown.map(({ id }) => id),
  );
  return {
    questions,
    people: shown.map(({ id, total, counts }) => ({
      id,
      name: names.get(id) ?? null,
      total,
      marks: questions.map(({ question_id }) => counts[question_id] ?? 0),
    })),
    is_complete: rows.length <= MOST_PEOPLE,
  };
};
