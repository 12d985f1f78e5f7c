import type { Tx } from '@evaluation/database';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { isUuid } from '../accept.ts';
import { readQuestions, type StoredQuestion } from './readQuestions.ts';

/**
 * Finds the question in the path. Must be called before the exam's state is checked
 * (docs/architecture.md#order-of-checks).
 * @throws DomainFailure not_found if the exam has no such question
 */
export const findQuestion = async (
  tx: Tx,
  instituteId: string,
  examId: string,
  questionId: string,
  include: ReadonlySet<string>,
): Promise<StoredQuestion> => {
  const [found] = isUuid(questionId)
    ? await readQuestions(tx, instituteId, examId, { include, ids: [questionId] })
    : [];
  if (found === undefined) throw new DomainFailure('not_found');
  return found;
};
