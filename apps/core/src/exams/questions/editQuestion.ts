import type { Problem } from '@evaluation/rest-contract/field-errors';
import {
  QuestionEdit,
  type Question,
  type QuestionEdited,
  type QuestionInput,
} from '@evaluation/rest-contract/schemas';
import { checkEdited, editedProblems, isRead, type Broken, type Parts } from '@evaluation/rules';
import type { Actor } from '@evaluation/platform/signed-actor';
import { accept, refuse } from '../../command/accept.ts';
import { lockExam, refuseChange } from '../../command/locks/lockExam.ts';
import { auditPaper } from './auditPaper.ts';
import { appendVersion } from '../paper/appendVersion.ts';
import { editMaterial } from '../paper/material.ts';
import { savePendingRubricsOfExam } from '../paper/savePending.ts';
import type { Services } from '../../command/services.ts';
import { findQuestion } from './findQuestion.ts';
import { questionColumns } from './insertQuestions.ts';
import { asSent, FIELDS, isSameField, SCHEME, type Surroundings } from './questionFields.ts';
import { PLAIN, WHOLE } from './readQuestions.ts';
import { replaceOptions } from './replaceOptions.ts';
import { addSections, dropEmptySections, readPaperUnderLock, recountPaper } from './paperUnderLock.ts';

/**
 * Edits a question. In a draft all fields but the type can change; in an open exam only texts, rubric, model answer and
 * descriptive fields. The edited question must satisfy all rules of a question. Fields that are sent with their stored
 * value do not count as a change, and a call without changes writes nothing.
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
    const exam = await lockExam(tx, actor, examId);
    const plain = await findQuestion(tx, actor.institute_id, exam.id, questionId, PLAIN);
    const { id } = plain.question;
    // Only long answers have rubrics, which may be pending.
    const isLong = plain.question.type === 'long_answer';
    const savedVersion = isLong ? await savePendingRubricsOfExam(tx, actor.institute_id, exam.id) : null;
    const current = savedVersion ?? exam.rubric_version;
    const include = isLong ? WHOLE : PLAIN;
    const stored = isLong ? await findQuestion(tx, actor.institute_id, exam.id, id, include) : plain;
    refuseChange(exam, 'edit_texts');
    const existing = await readPaperUnderLock(tx, actor.institute_id, exam.id, id);
    const before = asSent(stored.question);
    const where = { mode: exam.mode, firstSection: existing.sections[0]?.name ?? null };
    if (changesScheme(body, before, where)) refuseChange(exam, 'change_scheme');

    const edit = accept(QuestionEdit, body, (parts) =>
      isRead(parts)
        ? [...otherOptionIds(stored.question, parts), ...editedProblems(existing, whatIsRead(before, parts))]
        : [],
    );
    const after: QuestionInput = {
      ...before,
      ...edit,
      label: edit.label ?? before.label,
      text: edit.text ?? before.text,
      max_marks: edit.max_marks ?? before.max_marks,
    };
    const paper = checkEdited({ mode: exam.mode, existing, question: after });
    const placed = paper.questions[0];
    const problems = [...otherOptionIds(stored.question, edit), ...paper.problems];
    if (problems.length > 0 || placed === undefined) return refuse(problems);

    const place = { instituteId: actor.institute_id, examId: exam.id };
    // A new text makes a generated rubric invalid without a new version; `rubricInForce` compares the hash of the text.
    const rubric = editMaterial(stored.material, edit);
    const isNew = FIELDS.some((field) => !isSameField(field, after[field], before[field], where));
    if (isNew || rubric !== null) {
      const sectionIds = await addSections(tx, place, existing, paper);
      await tx
        .updateTable('questions')
        .set(questionColumns(placed, sectionIds))
        .where('institute_id', '=', actor.institute_id)
        .where('id', '=', id)
        .execute();
      await replaceOptions(tx, actor.institute_id, stored.question, placed.question);
      await dropEmptySections(tx, place);
      const version = current + (rubric === null ? 0 : 1);
      if (rubric !== null) await appendVersion(tx, place, version, [{ question_id: id, ...rubric }]);
      await recountPaper(tx, place, version);
      await auditPaper(tx, actor, exam.id, [{ before, after }], where);
    }
    const { question } = await findQuestion(tx, actor.institute_id, exam.id, id, include);
    return { ...question, warnings: paper.warnings };
  });

/**
 * Returns the edited question with the fields that could be read, so that an edit with invalid fields is also checked
 * against the rules of a question. The stored type is kept.
 */
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

/** Options may be sent as they were read, with the id of their label and no other id. */
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

/**
 * Returns true if the unvalidated body changes the marking scheme. The exam's state is checked before the body is
 * validated.
 */
const changesScheme = (body: unknown, before: QuestionInput, where: Surroundings): boolean =>
  typeof body === 'object' &&
  body !== null &&
  SCHEME.some(
    (field) =>
      Object.hasOwn(body, field) && !isSameField(field, Reflect.get(body, field), before[field], where),
  );
