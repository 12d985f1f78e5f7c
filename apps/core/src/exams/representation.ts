import { sql, type RawBuilder } from 'kysely';
import type { Tx } from '@evaluation/database';
import type { ExamListItem, Warning } from '@evaluation/rest-contract/schemas';
import { examStatus, materialWarnings } from '@evaluation/rules';
import { isVisibleTo, type Viewer } from '../command/locks/visibleExams.ts';
import { WHITE_SPACE } from './paper/inForce.ts';
import { PendingMaterial } from './paper/savePending.ts';
import { EXAM_FIELDS, examFieldsOf, type ExamFields } from './examFields.ts';
import { readQuote } from './quote.ts';

/*
 * Representation of exams in the API. A page of exams takes one statement for the exams, one for the material of their
 * long answers and one for the price. `rubric_versions` is read only for exams that have a version, so that exams with
 * pending rubrics can be shown while that table is locked.
 */

export interface ExamRow extends ExamFields {
  id: string;
  rubric_version: number;
  total_marks: string;
  question_count: number;
  created_at: Date;
  updated_at: Date;
  sections: { name: string; order: number }[] | null;
  long_answers: { id: string; label: string }[] | null;
  pending_rubrics: unknown;
}

/**
 * Material of a long answer, reduced to what the warnings of an exam need. `criteria` of a saved rubric has at most one
 * entry: a criterion whose marks are no multiple of the mark step.
 */
interface OwnMaterial {
  question_id: string;
  rubric: { criteria: { marks: number }[] } | null;
  model_answer: string | null;
}

/**
 * Selects exams that the viewer sees, in the order of `(updated_at, id)`.
 * @param options.where condition on `e`, the exam; `tail`: SQL after the order; `columns`: each with a comma before it
 */
export const selectExams = <Row extends ExamRow = ExamRow>(
  viewer: Viewer,
  options: { where: RawBuilder<boolean>; tail?: RawBuilder<unknown>; columns?: RawBuilder<unknown> },
): RawBuilder<Row> => sql<Row>`
  select e.id, e.status, e.live_submissions, e.live_unfinalized,
    ${sql.join(EXAM_FIELDS.map((field) => sql.ref(`e.${field}`)))}, e.rubric_version, e.total_marks, e.question_count, e.created_at, e.updated_at,
    (select json_agg(json_build_object('name', s.name, 'order', coalesce(s.sent_order, s.position)) order by s.position)
       from sections s where s.institute_id = e.institute_id and s.exam_id = e.id) as sections,
    (select json_agg(json_build_object('id', q.id, 'label', q.label) order by q.position)
       from questions q
      where q.institute_id = e.institute_id and q.exam_id = e.id and q.type = 'long_answer') as long_answers,
    (select p.payload from pending_rubrics p
      where p.institute_id = e.institute_id and p.exam_id = e.id) as pending_rubrics
    ${options.columns ?? sql``}
  from (
    select * from exams e
    where e.institute_id = ${viewer.institute_id} and ${isVisibleTo(viewer)} and ${options.where}
    order by e.updated_at, e.id ${options.tail ?? sql``}) e
  order by e.updated_at, e.id`;

export const showExams = async (
  tx: Tx,
  instituteId: string,
  rows: readonly ExamRow[],
  dashboardUrl: string,
): Promise<ExamListItem[]> => {
  if (rows.length === 0) return [];
  const material = await readMaterial(tx, instituteId, rows);
  const quoteOf = await readQuote(tx, instituteId);
  return rows.map((row) => {
    const isPending = row.pending_rubrics !== null;
    const own = isPending ? byQuestion(PendingMaterial.parse(row.pending_rubrics)) : material;
    const longAnswers = (row.long_answers ?? []).map(({ id, label }) => ({ label, own: own.get(id) }));
    const withRubric = longAnswers.filter((question) => question.own?.rubric != null).length;
    const quote = quoteOf(row.mode);
    const total = Number(row.total_marks);
    return {
      id: row.id,
      status: examStatus(row),
      ...examFieldsOf(row),
      sections: row.sections ?? [],
      total_marks: total,
      paper_max: total,
      question_count: row.question_count,
      dashboard_url: `${dashboardUrl}/exams/${row.id}`,
      choice_groups: [],
      rubric: {
        ...(isPending ? { sync: 'pending' as const } : { version: row.rubric_version }),
        locked: false,
        questions_with_rubric: withRubric,
        questions_without_rubric: longAnswers.length - withRubric,
      },
      ...(quote === undefined ? {} : { quote }),
      warnings: longAnswers.flatMap((question): Warning[] =>
        materialWarnings({
          label: question.label,
          rubric: question.own?.rubric,
          model_answer: question.own?.model_answer,
        }),
      ),
      created_at: row.created_at.toISOString(),
      updated_at: row.updated_at.toISOString(),
    };
  });
};

const byQuestion = (material: readonly OwnMaterial[]): Map<string, OwnMaterial> =>
  new Map(material.map((entry) => [entry.question_id, entry]));

/** Reads the client's material for the long answers at each exam's version, without generated rubrics. */
const readMaterial = async (
  tx: Tx,
  instituteId: string,
  exams: readonly ExamRow[],
): Promise<Map<string, OwnMaterial>> => {
  const versions = exams.flatMap(({ id, rubric_version, long_answers }) =>
    rubric_version > 0 && long_answers !== null ? [{ id, version: rubric_version }] : [],
  );
  if (versions.length === 0) return new Map();
  // `distinct on` picks the newest version before `rubric` is decompressed.
  const { rows } = await sql<OwnMaterial>`
    select v.question_id,
      case when jsonb_typeof(v.rubric) = 'object' then jsonb_build_object('criteria', (
        select coalesce(jsonb_agg(jsonb_build_object('marks', odd.marks)), '[]')
        from (select criterion->'marks' as marks from jsonb_array_elements(v.rubric->'criteria') criterion
              where (criterion->>'marks')::numeric * 2 % 1 <> 0 limit 1) odd)) end as rubric,
      case when v.rubric is null then left(btrim(v.model_answer, ${WHITE_SPACE}), 1) end as model_answer
    from (
      select distinct on (v.question_id) v.question_id, v.rubric, v.model_answer
      from jsonb_to_recordset(${JSON.stringify(versions)}::jsonb) as shown(id uuid, version int)
      join rubric_versions v on v.exam_id = shown.id and v.version <= shown.version
      where v.institute_id = ${instituteId} and v.source = 'client'
      order by v.question_id, v.version desc) v`.execute(tx);
  return byQuestion(rows);
};
