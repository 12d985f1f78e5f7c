import { HELD_AT, reviewReasons } from '../confidence.ts';
import type { Judgement, JudgeRequest } from '../grader.ts';
import { addressesGrader, POSSIBLE_INJECTION } from './detect.ts';

/**
 * A judgement as it stands of an answer that may talk to the grader: when it does, a teacher has to look (spec 2.7).
 * Marks, criteria and feedback stay as they are, whether or not it does (design chapter 3.18).
 */
export function flagInjection({ answer }: JudgeRequest, judgement: Judgement): Judgement {
  if (!addressesGrader(answer.text)) return judgement;
  const confidence = Math.min(judgement.confidence, HELD_AT);
  return {
    ...judgement,
    confidence,
    reviewReasons: reviewReasons(confidence, [...judgement.reviewReasons, POSSIBLE_INJECTION]),
  };
}
