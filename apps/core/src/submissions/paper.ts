import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import { QuestionType, Rubric } from '@evaluation/rest-contract/schemas';
import * as z from 'zod/v4';
import { rubricInForce } from '../rubrics/inForce.ts';

/**
 * A question as it is marked: its key, and the rubric and model answer of one version. Pinned on a run at its first
 * claim, so that a later edit never changes what the run marks by (design 3.7).
 */
export const PaperQuestion = z.object({
  id: z.uuid(),
  label: z.string(),
  section: z.string(),
  type: QuestionType,
  text: z.string(),
  max_marks: z.number(),
  negative_marks: z.number(),
  options: z.array(z.object({ label: z.string(), text: z.string() })),
  correct_options: z.array(z.string()),
  answer: z.union([z.number(), z.string(), z.array(z.union([z.number(), z.string()]))]).nullable(),
  model_answer: z.string().nullable(),
  rubric: Rubric.nullable(),
});
export type PaperQuestion = z.infer<typeof PaperQuestion>;

/** The questions of an exam in paper order, with the rubrics in force at `rubricVersion`. */
export const readPaper = async (
  tx: Tx,
  instituteId: string,
  examId: string,
  rubricVersion: number,
): Promise<PaperQuestion[]> => {
  const { rows } = await sql<{ question: unknown }>`
    select json_build_object(
      'id', q.id, 'label', q.label, 'section', s.name, 'type', q.type, 'text', q.text,
      'max_marks', q.max_marks::float8, 'negative_marks', q.negative_marks::float8,
      'options', coalesce((select json_agg(json_build_object('label', o.label, 'text', o.text) order by o.position)
                             from question_options o where o.question_id = q.id), '[]'),
      'correct_options', q.correct_options, 'answer', q.answer,
      'model_answer', v.model_answer, 'rubric', v.rubric) as question
    from questions q
    join sections s on s.id = q.section_id
    left join lateral ${rubricInForce(sql`q.id`, sql`${rubricVersion}::int`)} v on true
    where q.institute_id = ${instituteId} and q.exam_id = ${examId}
    order by q.position`.execute(tx);
  return rows.map(({ question }) => PaperQuestion.parse(question));
};
