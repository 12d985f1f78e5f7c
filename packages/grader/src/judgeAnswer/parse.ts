import { settleCriteria } from '@evaluation/rules';
import type { ObjectiveKey } from '@evaluation/rules';
import { annotate } from '../annotations.ts';
import { confidenceOf, reviewReasons } from '../confidence.ts';
import { locateQuote } from '../evidence.ts';
import type { Judgement, JudgeRequest } from '../grader.ts';
import { plainText } from '../plainText.ts';
import { MalformedOutput } from '../strictSchema.ts';
import type { Criterion } from './criteria.ts';
import { decideObjective, matchOption } from './objective.ts';
import type { CriteriaWire, ReadingWire } from './schema.ts';

const REASON_LENGTH = 1000;
const FEEDBACK_LENGTH = 4000;
const EVIDENCE_LENGTH = 500;

type Settled = { value: Judgement; problems: string[] };

/**
 * A long answer's judgement. A criterion left out or awarded twice is malformed (guessing would cost the candidate
 * marks); one that does not exist is dropped and marks out of range are clamped, both flagged for review.
 */
export function settleJudgement(request: JudgeRequest, criteria: Criterion[], wire: CriteriaWire): Settled {
  const byNumber = new Map<number, CriteriaWire['criteria'][number]>();
  for (const award of wire.criteria) {
    if (byNumber.has(award.criterion)) {
      throw new MalformedOutput(`Criterion ${award.criterion} is given twice.`, JSON.stringify(wire));
    }
    byNumber.set(award.criterion, award);
  }
  const settled = settleCriteria(
    criteria,
    wire.criteria.map(({ criterion, awarded }) => ({ number: criterion, awarded })),
  );
  const judged = settled.criteria.map((criterion, index) => {
    const award = byNumber.get(index + 1);
    if (award === undefined) {
      throw new MalformedOutput(`Criterion ${index + 1} is missing.`, JSON.stringify(wire));
    }
    const quote = evidenceIn(request, award.evidence);
    return { ...criterion, award, quote };
  });
  const marksPutRight = settled.problems.length > 0;
  const confidence = confidenceOf({
    criteria: judged.map(({ max, awarded, award, quote }) => ({
      max,
      awarded,
      certainty: award.certainty,
      evidenceFound: quote.evidence !== null,
    })),
    legibility: request.answer.legibility,
    marksPutRight,
  });
  const reasons = [
    ...(marksPutRight ? ['marks_adjusted'] : []),
    ...(judged.some(({ quote }) => quote.invented) ? ['evidence_not_found'] : []),
  ];
  const results = judged.map(({ name, awarded, max, award, quote }) => ({
    name,
    awarded,
    max,
    reason: plainText(award.reason, REASON_LENGTH),
    evidence: quote.evidence,
  }));
  const { question, answer } = request;
  return {
    problems: settled.problems,
    value: {
      awarded: settled.awarded,
      criteria: results,
      feedback: plainText(wire.feedback, FEEDBACK_LENGTH),
      confidence,
      reviewReasons: reviewReasons(confidence, reasons),
      annotations: annotate(question.label, settled.awarded, question.maxMarks, results, answer.blocks),
    },
  };
}

/** An objective answer's judgement: the model read, the key decides. */
export function settleReading(request: JudgeRequest, key: ObjectiveKey, wire: ReadingWire): Settled {
  const reasons: string[] = [];
  const quote = evidenceIn(request, wire.evidence);
  if (quote.invented) reasons.push('evidence_not_found');
  const answered = wire.status === 'answered';
  if (!answered) reasons.push(wire.status === 'unclear' ? 'unclear_answer' : 'no_answer_found');
  const optionLabels = wire.option_labels.map((label) => {
    const known = matchOption(label, request.question.options);
    if (known === null && 'correct_options' in key) reasons.push('unknown_option');
    return known ?? plainText(label, 80);
  });
  const decided = decideObjective(request, key, {
    optionLabels: answered ? optionLabels : [],
    value: answered && wire.value !== null ? plainText(wire.value, 500) : null,
    evidence: quote.evidence,
  });
  if (answered && decided.correct === null) reasons.push('no_answer_found');
  const confidence = confidenceOf({
    criteria: [
      {
        max: request.question.maxMarks,
        awarded: decided.awarded,
        certainty: reasons.length > 0 ? 'unsure' : wire.certainty,
        evidenceFound: quote.evidence !== null,
      },
    ],
    legibility: request.answer.legibility,
    marksPutRight: false,
  });
  return {
    problems: reasons,
    value: {
      awarded: decided.awarded,
      criteria: decided.criteria,
      feedback: plainText(
        decided.correct === true ? wire.feedback_if_right : wire.feedback_if_wrong,
        FEEDBACK_LENGTH,
      ),
      confidence,
      reviewReasons: reviewReasons(confidence, reasons),
      annotations: decided.annotations,
    },
  };
}

/** Keeps quoted evidence only where it truly occurs in the answer. */
function evidenceIn(
  request: JudgeRequest,
  quoted: string | null,
): { evidence: string | null; invented: boolean } {
  const quote = quoted === null ? '' : plainText(quoted, EVIDENCE_LENGTH);
  if (quote === '') return { evidence: null, invented: false };
  const found = locateQuote(quote, request.answer.text) !== null;
  return { evidence: found ? quote : null, invented: !found };
}
