/**
 * A long answer may be judged twice: asked again with the model answer first and the criteria in reverse order, numbers
 * kept. Models say of themselves that they are sure; where two orders of the same question get two different marks, they
 * were not. It costs a call, so it is made where it can change whether a teacher looks (docs/confidence.md).
 */
import { PROBABLE, rawConfidence, REVIEW_BELOW, TOO_MUCH, twoDecimals } from '../confidence.ts';
import type { ConfidenceTable } from '../confidenceTable.ts';
import { readOff } from '../confidenceTable.ts';
import type { GraderOptions, JudgeRequest, Judgement } from '../grader.ts';
import { criteriaOf } from './criteria.ts';
import type { Look } from './parse.ts';

export type SecondLookRule = NonNullable<Extract<GraderOptions, { provider: 'openai' }>['secondLook']>;

/** Where machines fall off: shares of the marks between which an answer is neither empty nor full. */
const MIDDLE = { from: 0.25, to: 0.75 };

/** @param judged what the first look alone came to */
export function deservesSecondLook(
  { question, answer }: JudgeRequest,
  look: Look,
  judged: Judgement,
  rule: SecondLookRule,
  table: ConfidenceTable,
): boolean {
  if (rule.when === 'never' || answer.text.length > rule.maxCharacters) return false;
  // One criterion and no model answer cannot be put in another order: the very same question would be asked again.
  if (criteriaOf(question).length === 1 && question.modelAnswer === null) return false;
  if (rule.when === 'always') return true;
  // A teacher looks anyway.
  if (judged.reviewReasons.length > 0) return false;
  if (look.criteria.every(isCertain)) return false;
  const share = judged.awarded / question.maxMarks;
  return (share > MIDDLE.from && share < MIDDLE.to) || canCrossTheLine(look, answer.legibility, table);
}

const isCertain = ({ certainty, probability }: Look['criteria'][number]): boolean =>
  certainty === 'certain' && (probability ?? 1) >= PROBABLE;

/** Share of the marks that the two looks gave differently: criterion by criterion, so that nothing cancels out. 0..1 */
export function disagreementOf(first: Look, second: Look): number {
  const total = first.criteria.reduce((sum, { max }) => sum + max, 0);
  if (total === 0) return 0;
  const differing = first.criteria.reduce(
    (sum, { awarded }, index) => sum + Math.abs(awarded - (second.criteria[index]?.awarded ?? awarded)),
    0,
  );
  return differing / total;
}

/** By more than examiners differ among themselves as a rule: a teacher must look, however sure the first look was. */
export function isBig(disagreement: number): boolean {
  return disagreement >= TOO_MUCH;
}

/** Whether the biggest disagreement that is not big by itself would bring it under the line. */
function canCrossTheLine(look: Look, legibility: number | null, table: ConfidenceTable): boolean {
  const criteria = look.criteria.map(({ max, awarded, certainty, probability, evidence }) => ({
    max,
    awarded,
    certainty,
    probability,
    evidenceFound: evidence !== null,
  }));
  const raw = rawConfidence({ criteria, legibility, disagreement: TOO_MUCH });
  return twoDecimals(readOff(table, raw)) < REVIEW_BELOW;
}
