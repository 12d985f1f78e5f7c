import { isDeepStrictEqual } from 'node:util';
import type { Tx } from '@evaluation/database';
import type { Question, QuestionInput } from '@evaluation/rest-contract/schemas';
import { newId } from '../../command/newId.ts';
import { insertOptions } from './insertQuestions.ts';

/** Options with an unchanged label keep their id. All rows are rewritten, because positions are unique. */
export const replaceOptions = async (
  tx: Tx,
  instituteId: string,
  stored: Question,
  question: QuestionInput,
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
      id: ids.get(label) ?? newId(),
      question_id: stored.id,
      position: index + 1,
      label,
      text,
    })),
  );
};
