import { sql } from 'kysely';
import { json, type Tx } from '@evaluation/database';
import type { QuestionInput } from '@evaluation/rest-contract/schemas';
import { labelKey, type PaperQuestion } from '@evaluation/rules';
import { newId } from '../../command/newId.ts';

/**
 * Inserts questions and their options, in order, in two statements. Rubrics and model answers are versions and are
 * inserted separately (`exams/paper/appendVersion.ts`).
 * @param paper.sectionIds ids of the sections; `section` of a question is an index into them
 * @param paper.after position of the last stored question, 0 for an empty paper
 * @returns the questions with their new ids, in the same order
 */
export const insertQuestions = async (
  tx: Tx,
  exam: { instituteId: string; examId: string },
  paper: { questions: readonly PaperQuestion[]; sectionIds: readonly string[]; after: number },
): Promise<{ id: string; question: QuestionInput }[]> => {
  if (paper.questions.length === 0) return [];
  const questions = paper.questions.map((placed, index) => ({
    ...placed,
    id: newId(),
    position: paper.after + index + 1,
  }));
  await tx
    .insertInto('questions')
    .values(
      questions.map((placed) => ({
        id: placed.id,
        institute_id: exam.instituteId,
        exam_id: exam.examId,
        position: placed.position,
        type: placed.question.type,
        ...questionColumns(placed, paper.sectionIds),
      })),
    )
    .execute();
  await insertOptions(
    tx,
    exam.instituteId,
    questions.flatMap(({ id, question }) =>
      (question.options ?? []).map(({ label, text }, index) => ({
        id: newId(),
        question_id: id,
        position: index + 1,
        label,
        text,
      })),
    ),
  );
  return questions.map(({ id, question }) => ({ id, question }));
};

export const questionColumns = (
  { question, section, negativeMarks }: PaperQuestion,
  sectionIds: readonly string[],
) => {
  const sectionId = sectionIds[section];
  if (sectionId === undefined) throw new Error('section of a question is missing after its insert');
  return {
    section_id: sectionId,
    label: question.label,
    label_key: labelKey(question.label),
    parent_label: question.parent_label ?? null,
    text: question.text,
    max_marks: String(question.max_marks),
    negative_marks: String(negativeMarks),
    correct_options: question.correct_options ?? [],
    answer: question.answer == null ? null : json(question.answer),
    word_limit: question.word_limit ?? null,
    expects_diagram: question.expects_diagram ?? null,
    assess_language: question.assess_language ?? null,
    tags: question.tags == null ? null : json(question.tags),
    external_id: question.external_id ?? null,
  };
};

/** One JSON parameter, because the options of 200 questions would exceed the parameters of a statement. */
export const insertOptions = async (
  tx: Tx,
  instituteId: string,
  options: readonly { id: string; question_id: string; position: number; label: string; text: string }[],
): Promise<void> => {
  if (options.length === 0) return;
  await sql`
    insert into question_options (id, institute_id, question_id, position, label, text)
    select id, ${instituteId}, question_id, position, label, text
    from jsonb_to_recordset(${JSON.stringify(options)}::jsonb)
      as sent(id uuid, question_id uuid, position int, label text, text text)`.execute(tx);
};
