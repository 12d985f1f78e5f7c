/**
 * A second look judges a long answer again with the model answer first and the criteria in reverse order, under the
 * same numbers. Models overstate their certainty: marks that change with the order are uncertain. It costs a call, so
 * it is made only if it can change whether a teacher is asked (docs/confidence.md).
 */
import { rawConfidence, REVIEW_BELOW, TOO_MUCH, twoDecimals } from '../confidence.ts';
import type { ConfidenceInput } from '../confidence.ts';
import type { ConfidenceTable } from '../confidenceTable.ts';
import { readOff } from '../confidenceTable.ts';
import type { GraderOptions, JudgeRequest, Judgement } from '../grader.ts';
import { criteriaOf } from './criteria.ts';
import type { Look } from './parse.ts';

export type SecondLookRule = NonNullable<Extract<GraderOptions, { provider: 'openai' }>['secondLook']>;

/** Range of shares of the marks in which models are weakest: answers that are neither empty nor full. */
const MIDDLE = { from: 0.25, to: 0.75 };

/** @param judged judgement of the first look alone */
export const deservesSecondLook = (
  { question, answer }: JudgeRequest,
  look: Look,
  judged: Judgement,
  rule: SecondLookRule,
  table: ConfidenceTable,
): boolean => {
  if (rule.when === 'never' || answer.text.length > rule.maxCharacters) return false;
  // With one criterion and no model answer the second request would equal the first.
  if (criteriaOf(question).length === 1 && question.modelAnswer === null) return false;
  if (rule.when === 'always') return true;
  // A teacher is asked already.
  if (judged.reviewReasons.length > 0) return false;
  if (look.criteria.every(({ certainty }) => certainty === 'certain')) return false;
  const share = judged.awarded / question.maxMarks;
  return (share > MIDDLE.from && share < MIDDLE.to) || canCrossTheLine(look, answer.legibility, table);
};

/** Share of the marks in which two looks differ, 0..1; differences of criteria do not cancel out. */
export const disagreementOf = (first: Look, second: Look): number => {
  const total = first.criteria.reduce((sum, { max }) => sum + max, 0);
  if (total === 0) return 0;
  const differing = first.criteria.reduce(
    (sum, { awarded }, index) => sum + Math.abs(awarded - (second.criteria[index]?.awarded ?? awarded)),
    0,
  );
  return differing / total;
};

/** Whether the looks differ by more than examiners usually do; a teacher must then look at any confidence. */
export const isBig = (disagreement: number): boolean => disagreement >= TOO_MUCH;

/** The criteria as the confidence weighs them. */
export const weighedCriteria = ({ criteria }: Look): ConfidenceInput['criteria'] =>
  criteria.map(({ evidence, ...criterion }) => ({ ...criterion, evidenceFound: evidence !== null }));

/** Whether the largest disagreement below `isBig` would lower the confidence below the review line. */
const canCrossTheLine = (look: Look, legibility: number | null, table: ConfidenceTable): boolean => {
  const criteria = weighedCriteria(look);
  const raw = rawConfidence({ criteria, legibility, disagreement: TOO_MUCH });
  return twoDecimals(readOff(table, raw)) < REVIEW_BELOW;
};
