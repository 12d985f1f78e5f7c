import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import { EXAM_FIELDS } from '../../exams/examFields.ts';
import { newId } from '../../command/newId.ts';

/** Without `external_ref`, which is unique among the exams of the institute. */
const COPIED_FIELDS = sql.join(
  EXAM_FIELDS.filter((field) => field !== 'external_ref').map((field) => sql.ref(field)),
);

interface Copied {
  old_id: string;
  new_id: string;
}

/**
 * Copies an exam with its sections, questions, options and rubrics, as an exam of source `sample`. Candidates and
 * submissions are not copied. The caller holds the lock of the exam.
 * @returns the id of the copy, and the id of each question's copy
 */
export const copyExam = async (
  tx: Tx,
  instituteId: string,
  examId: string,
): Promise<{ examId: string; questions: Copied[] }> => {
  const copyId = newId();
  await sql`
    insert into exams (id, institute_id, source, status, rubric_version, total_marks, question_count, ${COPIED_FIELDS})
    select ${copyId}, institute_id, 'sample', 'open', rubric_version, total_marks, question_count, ${COPIED_FIELDS}
    from exams where institute_id = ${instituteId} and id = ${examId}`.execute(tx);
  const sections = await newIds(tx, 'sections', instituteId, examId);
  await sql`
    insert into sections (id, institute_id, exam_id, name, position, sent_order)
    select m.new_id, o.institute_id, ${copyId}, o.name, o.position, o.sent_order
    from sections o join ${mapping(sections)} on m.old_id = o.id
    where o.institute_id = ${instituteId}`.execute(tx);
  const questions = await newIds(tx, 'questions', instituteId, examId);
  await sql`
    insert into questions (id, institute_id, exam_id, section_id, position, label, label_key, parent_label, type, text,
      max_marks, negative_marks, correct_options, answer, word_limit, expects_diagram, assess_language, tags)
    select m.new_id, o.institute_id, ${copyId}, s.new_id, o.position, o.label, o.label_key, o.parent_label, o.type,
      o.text, o.max_marks, o.negative_marks, o.correct_options, o.answer, o.word_limit, o.expects_diagram,
      o.assess_language, o.tags
    from questions o join ${mapping(questions)} on m.old_id = o.id
    join jsonb_to_recordset(${JSON.stringify(sections)}::jsonb) as s(old_id uuid, new_id uuid)
      on s.old_id = o.section_id
    where o.institute_id = ${instituteId}`.execute(tx);
  await sql`
    insert into question_options (id, institute_id, question_id, position, label, text)
    select gen_random_uuid(), o.institute_id, m.new_id, o.position, o.label, o.text
    from question_options o join ${mapping(questions)} on m.old_id = o.question_id
    where o.institute_id = ${instituteId}`.execute(tx);
  await sql`
    insert into rubric_versions (institute_id, exam_id, question_id, version, source, rubric, model_answer, text_sha256)
    select o.institute_id, ${copyId}, m.new_id, o.version, o.source, o.rubric, o.model_answer, o.text_sha256
    from rubric_versions o join ${mapping(questions)} on m.old_id = o.question_id
    where o.institute_id = ${instituteId}`.execute(tx);
  return { examId: copyId, questions };
};

/** SQL of the relation `m` with the columns `old_id` and `new_id`. */
export const mapping = (rows: readonly Copied[]) =>
  sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as m(old_id uuid, new_id uuid)`;

const newIds = async (
  tx: Tx,
  table: 'sections' | 'questions',
  instituteId: string,
  examId: string,
): Promise<Copied[]> => {
  const rows = await tx
    .selectFrom(table)
    .select('id')
    .where('institute_id', '=', instituteId)
    .where('exam_id', '=', examId)
    .orderBy('position')
    .execute();
  return rows.map(({ id }) => ({ old_id: id, new_id: newId() }));
};
