import { sha256Of } from '../callEvidence.ts';
import type { CallEvidence, JudgeRequest } from '../grader.ts';
import { versionFor } from './prompt.ts';

/**
 * Hash of all inputs of a judgement's marks. Leaves out the places of the answer on a copy, its legibility, the
 * confidence table and the use of second looks: they affect annotations and confidence, which are computed for each
 * copy. A new table therefore keeps cached judgements valid.
 */
export const judgementKey = (
  request: JudgeRequest,
  asked: Pick<CallEvidence, 'provider' | 'model' | 'settings'>,
): string => {
  const { exam, question, answer, examples = [] } = request;
  const handwritten = answer.legibility !== null;
  const inputs = [versionFor(request), asked, exam, question, answer.text, handwritten];
  const shown = examples.map(({ sha256, awarded }) => [sha256, awarded]);
  return sha256Of(JSON.stringify(shown.length === 0 ? inputs : [...inputs, shown]));
};
