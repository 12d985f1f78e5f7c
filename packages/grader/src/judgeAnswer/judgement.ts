import { annotate } from '../annotations.ts';
import { confidenceOf, reviewReasons } from '../confidence.ts';
import type { ConfidenceTable } from '../confidenceTable.ts';
import type { Judgement, JudgeRequest } from '../grader.ts';
import { flagInjection } from '../injection/flagInjection.ts';
import type { Look } from './parse.ts';
import { disagreementOf, isBig, weighedCriteria } from './secondLook.ts';

/** Makes the judgement of a long answer. The second look can ask for a teacher but cannot change a mark. */
export const judgementOf = (
  request: JudgeRequest,
  first: Look,
  second: Look | null,
  table: ConfidenceTable,
): Judgement => {
  const disagreement = second === null ? null : disagreementOf(first, second);
  const confidence = confidenceOf(
    {
      criteria: weighedCriteria(first),
      legibility: request.answer.legibility,
      disagreement,
      marksCorrected: first.marksCorrected,
    },
    table,
  );
  const reasons = [
    ...(first.marksCorrected ? ['marks_adjusted'] : []),
    ...(first.criteria.some(({ inventedEvidence }) => inventedEvidence) ? ['evidence_not_found'] : []),
    ...(disagreement !== null && isBig(disagreement) ? ['second_look_disagrees'] : []),
  ];
  const criteria = first.criteria.map(({ name, awarded, max, reason, evidence }) => ({
    name,
    awarded,
    max,
    reason,
    evidence,
  }));
  const { question, answer } = request;
  return flagInjection(
    request,
    {
      awarded: first.awarded,
      criteria,
      feedback: first.feedback,
      confidence,
      reviewReasons: reviewReasons(confidence, reasons),
      annotations: annotate(question.label, first.awarded, question.maxMarks, criteria, answer.blocks),
    },
    first.addressesGrader || second?.addressesGrader === true,
  );
};
