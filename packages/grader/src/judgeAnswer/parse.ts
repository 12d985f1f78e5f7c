import { roundAwards } from '@evaluation/rules';
import type { ObjectiveKey } from '@evaluation/rules';
import { confidenceOf, reviewReasons } from '../confidence.ts';
import type { Certainty } from '../confidence.ts';
import type { ConfidenceTable } from '../confidenceTable.ts';
import { locateQuote } from '../quotes.ts';
import type { Judgement, JudgeRequest } from '../grader.ts';
import { flagInjection } from '../injection/flagInjection.ts';
import { plainText } from '../plainText.ts';
import { MalformedOutput } from '../strictSchema.ts';
import type { Criterion } from './criteria.ts';
import { mendLatex, mendQuote, mendValue } from './latex.ts';
import { decideObjective, isDoubtful, matchOption } from './objective.ts';
import type { CriteriaWire, ReadingWire } from './schema.ts';

const REASON_LENGTH = 1000;
const FEEDBACK_LENGTH = 4000;
const EVIDENCE_LENGTH = 500;

export interface Look {
  criteria: {
    name: string;
    max: number;
    awarded: number;
    reason: string;
    /** Checked to occur in the answer. */
    evidence: string | null;
    inventedEvidence: boolean;
    certainty: Certainty;
  }[];
  awarded: number;
  feedback: string;
  marksCorrected: boolean;
  addressesGrader: boolean;
}

/**
 * Turns a model's reply to a long answer into a checked look. A criterion that is missing or awarded twice is
 * malformed, because a guess could cost the candidate marks. An unknown criterion is dropped, and marks out of range
 * are clamped.
 */
export const settleLook = (
  request: JudgeRequest,
  criteria: Criterion[],
  wire: CriteriaWire,
): { value: Look; problems: string[] } => {
  const byNumber = new Map<number, CriteriaWire['criteria'][number]>();
  for (const award of wire.criteria) {
    if (byNumber.has(award.criterion)) {
      throw new MalformedOutput(`Criterion ${award.criterion} is given twice.`, JSON.stringify(wire));
    }
    byNumber.set(award.criterion, award);
  }
  const settled = roundAwards(
    criteria,
    wire.criteria.map(({ criterion, awarded }) => ({ number: criterion, awarded })),
    { partial: request.question.partialMarking !== false },
  );
  const judged = settled.criteria.map((criterion, index) => {
    const award = byNumber.get(index + 1);
    if (award === undefined) {
      throw new MalformedOutput(`Criterion ${index + 1} is missing.`, JSON.stringify(wire));
    }
    const quote = evidenceIn(request, award.evidence);
    return {
      ...criterion,
      reason: plainText(mendLatex(award.reason), REASON_LENGTH),
      evidence: quote.evidence,
      inventedEvidence: quote.invented,
      certainty: award.certainty,
    };
  });
  const { maxMarks } = request.question;
  const problems =
    settled.awarded > maxMarks
      ? [...settled.problems, `${settled.awarded} of ${maxMarks} became ${maxMarks}`]
      : settled.problems;
  return {
    problems,
    value: {
      criteria: judged,
      awarded: Math.min(settled.awarded, maxMarks),
      feedback: plainText(mendLatex(wire.feedback), FEEDBACK_LENGTH),
      marksCorrected: problems.length > 0,
      addressesGrader: wire.addresses_grader,
    },
  };
};

/** Turns a model's reading of an objective answer into a judgement; the key decides the marks. */
export const settleReading = (
  request: JudgeRequest,
  key: ObjectiveKey,
  table: ConfidenceTable,
  wire: ReadingWire,
): { value: Judgement; problems: string[] } => {
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
  const reading = {
    optionLabels: answered ? optionLabels : [],
    value: answered && wire.value !== null ? plainText(mendValue(wire.value), 500) : null,
    evidence: quote.evidence,
  };
  const decided = decideObjective(request, key, reading);
  if (answered && decided.correct === null) reasons.push('no_answer_found');
  if (isDoubtful(key, reading)) reasons.push('unclear_value');
  const confidence = confidenceOf(
    {
      criteria: [
        {
          max: request.question.maxMarks,
          awarded: decided.awarded,
          certainty: reasons.length > 0 ? 'unsure' : wire.certainty,
          evidenceFound: quote.evidence !== null,
        },
      ],
      legibility: request.answer.legibility,
      disagreement: null,
      marksCorrected: false,
      isReading: true,
    },
    table,
  );
  const feedback = decided.correct === true ? wire.feedback_if_right : wire.feedback_if_wrong;
  return {
    problems: reasons,
    value: flagInjection(
      request,
      {
        awarded: decided.awarded,
        criteria: decided.criteria,
        feedback: plainText(mendLatex(feedback), FEEDBACK_LENGTH),
        confidence,
        reviewReasons: reviewReasons(confidence, reasons),
        annotations: decided.annotations,
      },
      wire.addresses_grader,
    ),
  };
};

/** Keeps a quotation only if it occurs in the answer. */
const evidenceIn = (
  request: JudgeRequest,
  quoted: string | null,
): { evidence: string | null; invented: boolean } => {
  if (quoted === null) return { evidence: null, invented: false };
  const readings = [mendLatex(quoted), mendQuote(quoted)].map((quote) => plainText(quote, EVIDENCE_LENGTH));
  if (readings[0] === '') return { evidence: null, invented: false };
  const found = readings.find((quote) => locateQuote(quote, request.answer.text) !== null);
  return { evidence: found ?? null, invented: found === undefined };
};
