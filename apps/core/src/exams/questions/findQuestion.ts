import type { Tx } from '@evaluation/database';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { isUuid } from '../../command/accept.ts';
import { readQuestions, type StoredQuestion } from './readQuestions.ts';

/** Must be called before the exam's state is checked. @throws DomainFailure not_found */
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
