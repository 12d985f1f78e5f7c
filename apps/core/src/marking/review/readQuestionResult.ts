import type { Tx } from '@evaluation/database';
import type { QuestionResult } from '@evaluation/rest-contract/schemas';
import type { Viewer } from '../../command/locks/visibleExams.ts';
import { readResult } from '../../submissions/getResult.ts';

/** Reads the result of one question. @throws Error if the question is not on the paper of the submission */
export const readQuestionResult = async (
  tx: Tx,
  viewer: Viewer,
  submissionId: string,
  questionId: string,
): Promise<QuestionResult> => {
  const { questions } = await readResult(tx, viewer, submissionId, () => new Set());
  const found = questions.find(({ question_id }) => question_id === questionId);
  if (found === undefined)
    throw new Error(`question ${questionId} is not on the paper of submission ${submissionId}`);
  return found;
};

/** Fields that a teacher's mark changes, for the audit, which must not contain the candidate's answer. */
export const auditedFields = ({ status, awarded, source, needs_review, criteria }: QuestionResult) => ({
  status,
  awarded,
  source,
  needs_review,
  ...(criteria.length === 0 ? {} : { criteria: criteria.map((criterion) => criterion.awarded) }),
});

/**
 * Removes the candidate's answer and all quotations of it. The answer of a command with an idempotency key is stored
 * for 48 hours, and an erasure would not find it there.
 */
export const withoutAnswer = (result: QuestionResult): QuestionResult => ({
  ...result,
  extracted_answer: null,
  feedback: null,
  criteria: [],
  review: { ...result.review, reason: null },
});
