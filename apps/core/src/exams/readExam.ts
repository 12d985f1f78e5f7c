import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import type { CompactQuestion, Exam, Warning } from '@evaluation/rest-contract/schemas';
import { examStatus, priceOf, type StoredExamStatus } from '@evaluation/rules';
import { isUuid } from '../accept.ts';

interface ExamRow {
  id: string;
  status: StoredExamStatus;
  live_submissions: number;
  live_unfinalized: number;
  title: string;
  mode: Exam['mode'];
  external_ref: string | null;
  conducted_on: string;
  subject: string | null;
  level: string;
  board: string | null;
  class: string | null;
  instructions: string | null;
  answer_language: string;
  feedback_language: string;
  blind: boolean;
  rubric_version: number;
  total_marks: string;
  question_count: number;
  created_at: Date;
  updated_at: Date;
  credits_per_page: string | null;
  credits_per_answer: string | null;
  sections: { name: string; order: number }[] | null;
  questions: (CompactQuestion & { options: CompactQuestion['options'] | null })[] | null;
  with_rubric: number;
  long_answers: number;
}

/**
 * The exam as the API shows it (spec 2.1), in one statement.
 * @param options.dashboardUrl base of the address that teachers open
 * @throws DomainFailure exam_not_found
 */
export const readExam = async (
  tx: Tx,
  instituteId: string,
  examId: string,
  options: { dashboardUrl: string; warnings?: Warning[] },
): Promise<Exam> => {
  const row = isUuid(examId) ? (await examStatement(instituteId, examId).execute(tx)).rows[0] : undefined;
  if (row === undefined) throw new DomainFailure('exam_not_found');
  const total = Number(row.total_marks);
  const unit = row.mode === 'handwritten' ? 'page' : 'answer';
  const price = priceOf(unit, unit === 'page' ? row.credits_per_page : row.credits_per_answer);
  return {
    id: row.id,
    status: examStatus(row),
    title: row.title,
    mode: row.mode,
    external_ref: row.external_ref,
    conducted_on: row.conducted_on,
    subject: row.subject,
    level: row.level,
    board: row.board,
    class: row.class,
    instructions: row.instructions,
    answer_language: row.answer_language,
    feedback_language: row.feedback_language,
    blind: row.blind,
    sections: row.sections ?? [],
    total_marks: total,
    paper_max: total,
    question_count: row.question_count,
    dashboard_url: `${options.dashboardUrl}/exams/${row.id}`,
    questions: (row.questions ?? []).map(({ options: choices, ...question }) =>
      choices === null ? question : { ...question, options: choices },
    ),
    choice_groups: [],
    rubric: {
      version: row.rubric_version,
      locked: false,
      questions_with_rubric: row.with_rubric,
      questions_without_rubric: row.long_answers - row.with_rubric,
    },
    quote: { unit, credits_per_page: price.credits, rate_source: price.rate_source },
    warnings: options.warnings ?? [],
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
};

const examStatement = (instituteId: string, examId: string) => sql<ExamRow>`
  select e.id, e.status, e.live_submissions, e.live_unfinalized, e.title, e.mode, e.external_ref, e.conducted_on,
    e.subject, e.level, e.board, e.class, e.instructions, e.answer_language, e.feedback_language, e.blind,
    e.rubric_version, e.total_marks, e.question_count, e.created_at, e.updated_at,
    i.credits_per_page, i.credits_per_answer,
    (select json_agg(json_build_object('name', s.name, 'order', s.position) order by s.position)
       from sections s where s.institute_id = e.institute_id and s.exam_id = e.id) as sections,
    (select json_agg(json_build_object(
        'id', q.id, 'label', q.label, 'section', s.name, 'max_marks', q.max_marks::float8,
        'options', (select json_agg(json_build_object('label', o.label, 'option_id', o.id) order by o.position)
                      from question_options o where o.question_id = q.id)) order by q.position)
       from questions q join sections s on s.id = q.section_id
      where q.institute_id = e.institute_id and q.exam_id = e.id) as questions,
    (select count(*)::int from questions q
      where q.institute_id = e.institute_id and q.exam_id = e.id and q.type = 'long_answer') as long_answers,
    (select count(*)::int from (
        select distinct on (v.question_id) v.rubric is not null as has_rubric
        from rubric_versions v where v.exam_id = e.id and v.version <= e.rubric_version and v.source = 'client'
        order by v.question_id, v.version desc) current where has_rubric) as with_rubric
  from exams e join institutes i on i.id = e.institute_id
  where e.institute_id = ${instituteId} and e.id = ${examId} and e.source = 'api'`;
