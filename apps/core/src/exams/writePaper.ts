import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import { labelKey } from '@evaluation/rules';
import { appendVersion, type VersionRow } from './paper/appendVersion.ts';
import { insertQuestions, questionColumns } from './questions/insertQuestions.ts';
import { recountPaper } from './questions/paperUnderLock.ts';
import { replaceOptions } from './questions/replaceOptions.ts';
import { dropOtherSections, writeSections } from './editSections.ts';
import type { StoredForm } from './examForm.ts';
import type { PaperPlan, PlannedQuestion } from './planPaper.ts';

type ExamRef = { instituteId: string; examId: string };

/**
 * Writes a planned paper. The caller holds the exam's lock. Rubrics and model answers that change are one new version.
 * @param version rubric version of the exam
 */
export const writePaper = async (
  tx: Tx,
  place: ExamRef,
  stored: StoredForm,
  plan: PaperPlan,
  version: number,
): Promise<void> => {
  const changed = plan.questions.filter(({ isChanged, material }) => isChanged || material !== null);
  if (plan.sections === null && plan.removed.length === 0 && !plan.isRearranged && changed.length === 0)
    return;
  const sections = plan.sections ?? stored.sections;
  const sectionIds =
    plan.sections === null
      ? stored.sections.map(({ id }) => id)
      : await writeSections(tx, place, stored.sections, plan.sections);
  const placed = inSections(plan, sections);

  if (plan.removed.length > 0) {
    await tx
      .deleteFrom('questions')
      .where('institute_id', '=', place.instituteId)
      .where('id', 'in', plan.removed)
      .execute();
  }
  await freeLabels(tx, place, changed);
  for (const { stored: one, placed: wanted, isChanged, material } of placed) {
    if (one === null || (!isChanged && material === null)) continue;
    await tx
      .updateTable('questions')
      .set(questionColumns(wanted, sectionIds))
      .where('institute_id', '=', place.instituteId)
      .where('id', '=', one.question.id)
      .execute();
    await replaceOptions(tx, place.instituteId, one.question, wanted.question);
  }
  const material = [
    ...placed.flatMap(({ stored: one, material: edited }) =>
      one === null || edited === null ? [] : [{ question_id: one.question.id, ...edited }],
    ),
    ...(await insertNew(tx, place, placed, sectionIds)),
  ];
  if (plan.isRearranged) await renumber(tx, place, placed);
  if (plan.sections !== null) await dropOtherSections(tx, place, sectionIds);
  const next = version + (material.length > 0 ? 1 : 0);
  await appendVersion(tx, place, next, material);
  await recountPaper(tx, place, next);
};

/** Gives each question the index of its section among those that are written. */
const inSections = ({ questions }: PaperPlan, sections: readonly { name: string }[]): PlannedQuestion[] => {
  const indexOf = new Map(sections.map(({ name }, index) => [labelKey(name), index]));
  return questions.map((question) => ({
    ...question,
    placed: { ...question.placed, section: indexOf.get(labelKey(question.section)) ?? -1 },
  }));
};

/** Labels are unique and checked row by row, so questions that exchange labels first get keys that no label has. */
const freeLabels = async (tx: Tx, place: ExamRef, changed: readonly PlannedQuestion[]): Promise<void> => {
  const renamed = changed.flatMap(({ stored, placed }) =>
    stored === null || labelKey(stored.question.label) === labelKey(placed.question.label)
      ? []
      : [stored.question.id],
  );
  if (renamed.length === 0) return;
  await sql`
    update questions set label_key = id::text
    where institute_id = ${place.instituteId} and id = any(${renamed}::uuid[])`.execute(tx);
};

/** Inserts new questions behind the stored ones. @returns their rubrics and model answers */
const insertNew = async (
  tx: Tx,
  place: ExamRef,
  placed: readonly PlannedQuestion[],
  sectionIds: readonly string[],
): Promise<VersionRow[]> => {
  const added = await insertQuestions(tx, place, {
    questions: placed.filter(({ stored }) => stored === null).map(({ placed: wanted }) => wanted),
    sectionIds,
    after: BEHIND,
  });
  return added
    .filter(({ question }) => question.rubric != null || question.model_answer != null)
    .map(({ id, question }) => ({
      question_id: id,
      rubric: question.rubric ?? null,
      model_answer: question.model_answer ?? null,
    }));
};

/** Greater than the position of any stored question. */
const BEHIND = 1_000_000;

/** Gives the questions positions from 1 in the order of the form. A question is found by its label, which is unique. */
const renumber = async (tx: Tx, place: ExamRef, placed: readonly PlannedQuestion[]): Promise<void> => {
  const wanted = placed.map(({ placed: { question } }, index) => ({
    key: labelKey(question.label),
    position: index + 1,
  }));
  await sql`
    update questions q set position = wanted.position
    from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) as wanted(key text, position int)
    where q.institute_id = ${place.instituteId} and q.exam_id = ${place.examId} and q.label_key = wanted.key
      and q.position <> wanted.position`.execute(tx);
};
