import { sql, type RawBuilder } from 'kysely';
import type { Tx } from '@evaluation/database';
import { ExamContext, MarkedQuestion } from '@evaluation/rules/grading-model';
import * as z from 'zod/v4';
import { rubricInForce } from './inForce.ts';

/** Reads the questions in paper order. @param version null omits rubrics and does not read their table */
export const readPaper = async (
  tx: Tx,
  instituteId: string,
  examId: string,
  version: number | null,
): Promise<MarkedQuestion[]> => {
  const { rows } = await sql<{ questions: unknown }>`
    select ${questionsOf(instituteId, examId, version === null ? null : sql`${version}::int`)} as questions`.execute(
    tx,
  );
  return z.array(MarkedQuestion).parse(rows[0]?.questions);
};

/**
 * Selects the questions of a typed exam in paper order, without rubrics; no row for a handwritten exam. Rubrics are not
 * needed to accept answers, so a submission is accepted while their table is locked.
 */
export const selectTypedPaper = (instituteId: string, examId: string) => sql<{ questions: unknown }>`
  select ${questionsOf(instituteId, examId, null)} as questions
  from exams e where e.institute_id = ${instituteId} and e.id = ${examId} and e.mode = 'typed'`;

/** @param rows of `selectTypedPaper` */
export const typedPaperOf = ([row]: { questions: unknown }[]): MarkedQuestion[] =>
  z.array(MarkedQuestion).parse(row?.questions ?? []);

export const CurrentPaper = z.object({
  exam: ExamContext.extend({ title: z.string() }),
  rubric_version: z.int(),
  questions: z.array(MarkedQuestion),
});
export type CurrentPaper = z.infer<typeof CurrentPaper>;

/** Name and column of each field of the exam, for `jsonb_build_object`. */
const EXAM_ENTRIES = sql.join(
  CurrentPaper.shape.exam.keyof().options.flatMap((field) => [sql.lit(field), sql.ref(`e.${field}`)]),
);

/**
 * Selects the paper in force as jsonb (`exam`, `questions`) and its `rubric_version`. One statement, so that texts,
 * rubrics and their version belong together without a lock.
 */
export const currentPaper = (instituteId: string, examId: string) => sql<{
  paper: unknown;
  rubric_version: number;
}>`
  select e.rubric_version,
    jsonb_build_object(
      'exam', jsonb_build_object(${EXAM_ENTRIES}),
      'questions', ${questionsOf(instituteId, examId, sql`e.rubric_version`)}) as paper
  from exams e
  where e.institute_id = ${instituteId} and e.id = ${examId}`;

const questionsOf = (instituteId: string, examId: string, version: RawBuilder<unknown> | null) => sql`(
  select coalesce(json_agg(json_build_object(
      'id', q.id, 'label', q.label, 'section', s.name, 'type', q.type, 'text', q.text,
      'max_marks', q.max_marks::float8, 'negative_marks', q.negative_marks::float8,
      'options', coalesce((select json_agg(json_build_object('label', o.label, 'text', o.text) order by o.position)
                             from question_options o where o.question_id = q.id), '[]'),
      'correct_options', q.correct_options, 'answer', q.answer,
      'model_answer', v.model_answer, 'rubric', v.rubric) order by q.position), '[]')
  from questions q
  join sections s on s.id = q.section_id
  left join lateral ${
    version === null
      ? sql`(select null::text as model_answer, null::jsonb as rubric)`
      : rubricInForce(version)
  } v on true
  where q.institute_id = ${instituteId} and q.exam_id = ${examId})`;
