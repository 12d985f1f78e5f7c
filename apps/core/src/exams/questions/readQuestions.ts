import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import type { Question, Rubric } from '@evaluation/rest-contract/schemas';
import { isChoice } from '@evaluation/rules';
import { rubricInForce } from '../paper/inForce.ts';
import { ofClient, type Material } from '../paper/material.ts';

interface QuestionRow {
  id: string;
  label: string;
  parent_label: string | null;
  section: string;
  type: Question['type'];
  text: string;
  max_marks: number;
  negative_marks: number;
  options: NonNullable<Question['options']> | null;
  correct_options: string[];
  answer: Question['answer'] | null;
  word_limit: number | null;
  expects_diagram: boolean | null;
  assess_language: boolean | null;
  tags: Question['tags'];
  external_id: string | null;
  created_at: Date;
  updated_at: Date;
  source: Material['source'] | null;
  rubric: Rubric | null;
  model_answer: string | null;
}

/** A stored question as in the API; `material` is set for long answers. */
export interface StoredQuestion {
  question: Question;
  material: Material | null;
}

/**
 * Reads questions of an exam in paper order, in one statement. `rubric` and `model_answer` are the client's; generated
 * rubrics appear only in the rubric list.
 * @param options.include rubric fields to read. If empty, `rubric_versions` is not read, so that a lock on that table
 * does not delay the call, and `material` is null.
 * @param options.ids reads only these questions
 */
export const readQuestions = async (
  tx: Tx,
  instituteId: string,
  examId: string,
  options: { include: ReadonlySet<string>; ids?: readonly string[] },
): Promise<StoredQuestion[]> => {
  const only = options.ids === undefined ? sql`true` : sql`q.id = any(${[...options.ids]}::uuid[])`;
  const isMarked = options.include.size > 0;
  const { rows } = await sql<QuestionRow>`
    select q.id, q.label, q.parent_label, s.name as section, q.type, q.text, q.max_marks::float8 as max_marks,
      q.negative_marks::float8 as negative_marks,
      (select json_agg(json_build_object('label', o.label, 'text', o.text, 'option_id', o.id) order by o.position)
         from question_options o where o.question_id = q.id) as options,
      q.correct_options, q.answer, q.word_limit, q.expects_diagram, q.assess_language, q.tags, q.external_id,
      q.created_at, q.updated_at, ${isMarked ? sql`v.source, v.rubric, v.model_answer` : sql`null as source, null as rubric, null as model_answer`}
    from questions q
    join exams e on e.id = q.exam_id
    join sections s on s.id = q.section_id
    ${isMarked ? sql`left join lateral ${rubricInForce(sql`e.rubric_version`)} v on q.type = 'long_answer'` : sql``}
    where q.institute_id = ${instituteId} and q.exam_id = ${examId} and ${only}
    order by q.position`.execute(tx);
  return rows.map((row) => shown(row, options.include));
};

const shown = (row: QuestionRow, include: ReadonlySet<string>): StoredQuestion => {
  const { options, correct_options, answer, source, rubric, model_answer, created_at, updated_at, ...rest } =
    row;
  const material = source === null ? null : { source, rubric, model_answer };
  const own = ofClient(material);
  const isLong = row.type === 'long_answer';
  return {
    question: {
      ...rest,
      ...(isChoice(row.type) ? { options: options ?? [], correct_options } : {}),
      ...(answer === null || answer === undefined ? {} : { answer }),
      ...(isLong && include.has('model_answer') ? { model_answer: own.model_answer } : {}),
      ...(isLong && include.has('rubric') ? { rubric: own.rubric } : {}),
      created_at: created_at.toISOString(),
      updated_at: updated_at.toISOString(),
    },
    material,
  };
};

/** All rubric fields, for the answers of commands. */
export const WHOLE: ReadonlySet<string> = new Set(['rubric', 'model_answer']);

export const PLAIN: ReadonlySet<string> = new Set();
