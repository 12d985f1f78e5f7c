import { HELD_AT, reviewReasons } from '../confidence.ts';
import type { Judgement, JudgeRequest } from '../grader.ts';
import { imitatesPrompt, POSSIBLE_INJECTION } from './detect.ts';

/**
 * Flags an answer that addresses its grader for review by a teacher, and lowers the confidence below the review line.
 * Marks, criteria and feedback stay unchanged.
 * @param isReported true if the model reported it (`addresses_grader`); false for the baseline
 */
export const flagInjection = (
  { answer }: JudgeRequest,
  judgement: Judgement,
  isReported: boolean,
): Judgement => {
  if (!isReported && !imitatesPrompt(answer.text)) return judgement;
  const confidence = Math.min(judgement.confidence, HELD_AT);
  return {
    ...judgement,
    confidence,
    reviewReasons: reviewReasons(confidence, [...judgement.reviewReasons, POSSIBLE_INJECTION]),
  };
};
