import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Tx } from '@evaluation/database';
import type { Problem } from '@evaluation/rest-contract/field-errors';
import {
  QuestionEdit,
  type ExamMode,
  type Question,
  type QuestionEdited,
  type QuestionInput,
} from '@evaluation/rest-contract/schemas';
import {
  checkEdited,
  editedProblems,
  isRead,
  labelKey,
  type Broken,
  type PaperQuestion,
  type Parts,
} from '@evaluation/rules';
import type { Actor } from '@evaluation/signed-actor';
import { accept, refuse } from '../accept.ts';
import { lockExam, refuseChange } from '../locks/lockExam.ts';
import { appendVersion } from '../paper/appendVersion.ts';
import { editMaterial } from '../paper/material.ts';
import { savePendingRubricsOfExam } from '../paper/savePending.ts';
import type { Services } from '../services.ts';
import { findQuestion } from './findQuestion.ts';
import { insertOptions, questionColumns } from './insertQuestions.ts';
import { PLAIN, WHOLE } from './readQuestions.ts';
import { addSections, dropEmptySections, readPaperUnderLock, recountPaper } from './paperUnderLock.ts';

/**
 * Edits a question (docs/api/lifecycle.md#exams): all but its type while the exam is a draft; while it is open only its texts, its
 * rubric and model answer, and what is merely stored with it. The question as it would be must obey every rule of a
 * question. What is sent as it already stands is no change, and a call that changes nothing writes nothing.
 * @throws DomainFailure exam_not_found, not_found, conflict, exam_finalized, validation_failed and the errors of the
 * rules of a question
 */
export const editQuestion = (
  services: Pick<Services, 'database'>,
  actor: Actor,
  examId: string,
  questionId: string,
  body: unknown,
): Promise<QuestionEdited> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const exam = await lockExam(tx, actor.institute_id, examId);
    const plain = await findQuestion(tx, actor.institute_id, exam.id, questionId, PLAIN);
    const { id } = plain.question;
    // Only a long answer has rubrics to wait for.
    const isLong = plain.question.type === 'long_answer';
    const settled = isLong ? await savePendingRubricsOfExam(tx, actor.institute_id, exam.id) : null;
    const current = settled ?? exam.rubric_version;
    const include = isLong ? WHOLE : PLAIN;
    const stored = isLong ? await findQuestion(tx, actor.institute_id, exam.id, id, include) : plain;
    refuseChange(exam, 'edit_texts');
    const standing = await readPaperUnderLock(tx, actor.institute_id, exam.id, id);
    const before = asSent(stored.question);
    const firstSection = standing.sections[0]?.name ?? null;
    if (changesScheme(body, before, exam.mode, firstSection)) refuseChange(exam, 'change_scheme');

    const edit = accept(QuestionEdit, body, (parts) =>
      isRead(parts)
        ? [...otherOptionIds(stored.question, parts), ...editedProblems(standing, whatIsRead(before, parts))]
        : [],
    );
    const after: QuestionInput = {
      ...before,
      ...edit,
      label: edit.label ?? before.label,
      text: edit.text ?? before.text,
      max_marks: edit.max_marks ?? before.max_marks,
    };
    const paper = checkEdited({ mode: exam.mode, standing, question: after });
    const placed = paper.questions[0];
    const problems = [...otherOptionIds(stored.question, edit), ...paper.problems];
    if (problems.length > 0 || placed === undefined) return refuse(problems);

    const place = { instituteId: actor.institute_id, examId: exam.id };
    // A rubric that was generated goes with the text that it was made from, and without a new version.
    const rubric = editMaterial(stored.material, edit);
    const isNew = FIELDS.some(
      (field) =>
        !isDeepStrictEqual(
          normal(field, after[field], exam.mode, firstSection),
          normal(field, before[field], exam.mode, firstSection),
        ),
    );
    if (isNew || rubric !== null) {
      const sectionIds = await addSections(tx, place, standing, paper);
      await tx
        .updateTable('questions')
        .set(questionColumns(placed, sectionIds))
        .where('institute_id', '=', actor.institute_id)
        .where('id', '=', id)
        .execute();
      await replaceOptions(tx, actor.institute_id, stored.question, placed);
      await dropEmptySections(tx, place);
      const version = current + (rubric === null ? 0 : 1);
      if (rubric !== null) await appendVersion(tx, place, version, [{ question_id: id, ...rubric }]);
      await recountPaper(tx, place, version);
    }
    const { question } = await findQuestion(tx, actor.institute_id, exam.id, id, include);
    return { ...question, warnings: paper.warnings };
  });

/** The question as it would be, of an edit that is refused anyway. Its type stays, whatever was sent as one. */
const whatIsRead = (
  before: QuestionInput,
  edit: Exclude<Parts<QuestionEdit>, Broken>,
): Parts<QuestionInput> => ({
  ...before,
  ...edit,
  type: before.type,
  label: edit.label ?? before.label,
  text: edit.text ?? before.text,
  max_marks: edit.max_marks ?? before.max_marks,
});

/** Options may be sent back as they were read: with the ids that the options of those labels have, and no others. */
const otherOptionIds = (
  { options: stored = [] }: Question,
  { options: sent }: Exclude<Parts<QuestionEdit>, Broken>,
): Problem[] => {
  if (sent == null || !isRead(sent)) return [];
  const ids = new Map(stored.map(({ label, option_id }) => [label, option_id]));
  return sent.flatMap((option, index) => {
    if (!isRead(option) || !isRead(option.label) || !isRead(option.option_id)) return [];
    const { label, option_id: id } = option;
    return id == null || id.toLowerCase() === ids.get(label)
      ? []
      : [
          {
            field: `options[${index}].option_id`,
            code: 'invalid_value',
            message: 'Not the id of the option with this label.',
          },
        ];
  });
};

/** The stored question as a client would send it. */
const asSent = ({ id: _id, created_at: _created, updated_at: _updated, options, ...question }: Question) => ({
  ...question,
  ...(options === undefined ? {} : { options: options.map(({ label, text }) => ({ label, text })) }),
});

/** The marking scheme (docs/api/lifecycle.md#exams): frozen once the exam is open. */
const SCHEME = [
  'label',
  'section',
  'max_marks',
  'negative_marks',
  'options',
  'correct_options',
  'answer',
] as const;
const STORED_ONLY = [
  'parent_label',
  'text',
  'word_limit',
  'expects_diagram',
  'assess_language',
  'tags',
  'external_id',
] as const;
/** All that stands in the question itself; rubric and model answer are versions. */
const FIELDS = [...SCHEME, ...STORED_ONLY] as const;

/**
 * Whether a body asks for another marking scheme than the stored one. It is looked at as it was sent, since state
 * comes before validation (docs/architecture.md#order-of-checks).
 */
const changesScheme = (
  body: unknown,
  before: QuestionInput,
  mode: ExamMode,
  firstSection: string | null,
): boolean =>
  typeof body === 'object' &&
  body !== null &&
  SCHEME.some(
    (field) =>
      Object.hasOwn(body, field) &&
      !isDeepStrictEqual(
        normal(field, Reflect.get(body, field), mode, firstSection),
        normal(field, before[field], mode, firstSection),
      ),
  );

/** One form for values that mean the same: what is left out, and what is matched ignoring case. */
const normal = (
  field: (typeof FIELDS)[number],
  value: unknown,
  mode: ExamMode,
  firstSection: string | null,
): unknown => {
  if (field === 'negative_marks') return mode === 'handwritten' ? 0 : (value ?? 0);
  if (field === 'options') return Array.isArray(value) ? value.map(withoutId) : (value ?? null);
  if (field !== 'section') return value ?? null;
  const name = value ?? firstSection;
  return typeof name === 'string' ? labelKey(name) : name;
};

const withoutId = (option: unknown): unknown =>
  typeof option === 'object' && option !== null
    ? Object.fromEntries(Object.entries(option).filter(([field]) => field !== 'option_id'))
    : option;

/** Options that keep their label keep their id. Positions are unique, so all are written anew. */
const replaceOptions = async (
  tx: Tx,
  instituteId: string,
  stored: Question,
  { question }: PaperQuestion,
): Promise<void> => {
  const before = stored.options ?? [];
  const after = (question.options ?? []).map(({ label, text }) => ({ label, text }));
  if (
    isDeepStrictEqual(
      before.map(({ label, text }) => ({ label, text })),
      after,
    )
  )
    return;
  const ids = new Map(before.map(({ label, option_id }) => [label, option_id]));
  await tx
    .deleteFrom('question_options')
    .where('institute_id', '=', instituteId)
    .where('question_id', '=', stored.id)
    .execute();
  await insertOptions(
    tx,
    instituteId,
    after.map(({ label, text }, index) => ({
      id: ids.get(label) ?? randomUUID(),
      question_id: stored.id,
      position: index + 1,
      label,
      text,
    })),
  );
};
