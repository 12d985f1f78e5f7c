import { HELD_AT, reviewReasons } from '../confidence.ts';
import type { Judgement, JudgeRequest } from '../grader.ts';
import { imitatesPrompt, POSSIBLE_INJECTION } from './detect.ts';

/**
 * Sends an answer that addresses its grader to a teacher. Marks, criteria and feedback stay as they are.
 * @param isReported the model said so itself (`addresses_grader`); false for the baseline, which understands nothing
 */
export function flagInjection(
  { answer }: JudgeRequest,
  judgement: Judgement,
  isReported: boolean,
): Judgement {
  return isReported || imitatesPrompt(answer.text) ? withInjectionFlag(judgement) : judgement;
}

/** The judgement with the review reason and its confidence under the review line. */
export function withInjectionFlag(judgement: Judgement): Judgement {
  const confidence = Math.min(judgement.confidence, HELD_AT);
  return {
    ...judgement,
    confidence,
    reviewReasons: reviewReasons(confidence, [...judgement.reviewReasons, POSSIBLE_INJECTION]),
  };
}
