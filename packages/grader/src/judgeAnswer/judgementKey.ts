import { sha256Of } from '../callEvidence.ts';
import type { CallEvidence, JudgeRequest } from '../grader.ts';
import { VERSION } from './prompt.ts';

/**
 * Hash of all inputs of a judgement's marks. Leaves out the places of the answer on a copy, its legibility, the
 * confidence table and the use of second looks: they affect annotations and confidence, which are computed for each
 * copy. A new table therefore keeps cached judgements valid.
 */
export const judgementKey = (
  { exam, question, answer }: JudgeRequest,
  asked: Pick<CallEvidence, 'provider' | 'model' | 'settings'>,
): string => {
  const handwritten = answer.legibility !== null;
  return sha256Of(JSON.stringify([VERSION, asked, exam, question, answer.text, handwritten]));
};
