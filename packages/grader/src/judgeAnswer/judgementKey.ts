import { sha256Of } from '../callEvidence.ts';
import type { CallEvidence, JudgeRequest } from '../grader.ts';
import { version } from './prompt.ts';

/**
 * What decides a judgement's marks, as one hash. Where an answer stands on a copy and how legible it is are left out: they
 * decide places and confidence, which are settled anew for each copy. So is what confidence is read off and when a second
 * look is taken: the marks are the first look's, and setting another table must not ask for all of them anew.
 */
export function judgementKey(
  { exam, question, answer }: JudgeRequest,
  asked: Pick<CallEvidence, 'provider' | 'model' | 'settings'>,
): string {
  const handwritten = answer.legibility !== null;
  return sha256Of(JSON.stringify([version, asked, exam, question, answer.text, handwritten]));
}
