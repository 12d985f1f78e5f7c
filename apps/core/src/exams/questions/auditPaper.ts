import type { Tx } from '@evaluation/database';
import type { QuestionInput } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/platform/signed-actor';
import { audit, changesBetween } from '../../command/audit.ts';
import { FIELDS, isSameField, type Surroundings } from './questionFields.ts';

/** A question before and after an edit; null where it does not exist. */
interface EditedQuestion {
  before: QuestionInput | null;
  after: QuestionInput | null;
}

/** Appends one entry for an edit of a paper: by the label of a question, the fields that differ. */
export const auditPaper = async (
  tx: Tx,
  actor: Actor,
  examId: string,
  edited: readonly EditedQuestion[],
  where: Surroundings,
): Promise<void> => {
  const changes = edited.map((question) => [labelOf(question), changedFields(question, where)] as const);
  await auditQuestions(tx, actor, examId, changes);
};

interface Changes {
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

/** As `auditPaper`, for changes that the caller knows. @param changes by the label of the question */
export const auditQuestions = async (
  tx: Tx,
  actor: Actor,
  examId: string,
  changes: readonly (readonly [label: string, changes: Changes])[],
): Promise<void> => {
  if (changes.length === 0) return;
  await audit(tx, actor, [
    {
      action: 'paper_edit',
      exam_id: examId,
      before: Object.fromEntries(changes.map(([label, { before }]) => [label, before])),
      after: Object.fromEntries(changes.map(([label, { after }]) => [label, after])),
    },
  ]);
};

const labelOf = ({ before, after }: EditedQuestion): string => (after ?? before)?.label ?? '';

const changedFields = ({ before, after }: EditedQuestion, where: Surroundings): Changes => {
  const fields = [...FIELDS, 'rubric', 'model_answer'] as const;
  if (after === null)
    return { before: changesBetween({}, pick(before, ['max_marks', 'text'])).after, after: null };
  if (before === null) return { before: null, after: changesBetween({}, pick(after, fields)).after };
  const other = fields.filter((field) =>
    field === 'rubric' || field === 'model_answer'
      ? true
      : !isSameField(field, after[field], before[field], where),
  );
  return changesBetween(pick(before, other), pick(after, other));
};

const pick = (
  question: QuestionInput | null,
  fields: readonly (keyof QuestionInput)[],
): Record<string, unknown> => Object.fromEntries(fields.map((field) => [field, question?.[field] ?? null]));
