import type { ObjectiveKey } from '@evaluation/rules';
import type { ConfidenceTable } from '../confidenceTable.ts';
import { newBoundary } from '../fence.ts';
import type { Judgement, JudgeRequest } from '../grader.ts';
import type { ModelCall } from '../modelCall.ts';
import { criteriaOf } from './criteria.ts';
import { settleLook, settleReading } from './parse.ts';
import type { Look } from './parse.ts';
import { AWARD_RULE, criteriaSystem, markingParts, readingSystem, userParts, version } from './prompt.ts';
import { criteriaSchemaFor, readingSchema } from './schema.ts';
import type { CriteriaWire, ReadingWire } from './schema.ts';
import { AWARD_RULE_2, criteriaSchema2, VERSION_2 } from './version2.ts';

/** The feedback, and what stands around it. */
const JUDGEMENT_TOKENS = 400;
/** Quote, reason, marks and certainty; most take 100. */
const CRITERION_TOKENS = 250;
/** A quote, and a sentence or two for each way that it may end. */
const READING_TOKENS = 800;

/**
 * Asks a model to mark a long answer by its criteria; the second look lists them otherwise (secondLook.ts).
 * judgement.ts makes one judgement of the looks.
 * @param asked by which version; evidence of an earlier one is settled as it was asked
 */
export function judgeByCriteriaCall(
  request: JudgeRequest,
  look: 'first' | 'second',
  table: ConfidenceTable,
  asked: string = version,
): ModelCall<CriteriaWire, Look> {
  const criteria = criteriaOf(request.question);
  const boundary = newBoundary();
  const isOf2 = asked === VERSION_2;
  const marking = markingParts(request.question, criteria);
  return {
    name: 'judge_answer',
    version: isOf2 ? VERSION_2 : version,
    system: isOf2 ? criteriaSystem.replace(AWARD_RULE, AWARD_RULE_2) : criteriaSystem,
    user: userParts(request, look === 'first' ? marking.inOrder : marking.otherwise, boundary),
    boundary,
    schema: isOf2 ? criteriaSchema2 : criteriaSchemaFor(criteria, request.question.partialMarking !== false),
    outputTokens: JUDGEMENT_TOKENS + CRITERION_TOKENS * criteria.length,
    settings: { confidence_table: table.text },
    settle: (wire) => settleLook(request, criteria, wire),
  };
}

/**
 * Asks a model what was answered to an objective question. The prompt does not hold the key, so it cannot bias. It is the
 * same in `judge_answer/2`.
 */
export function readObjectiveCall(
  request: JudgeRequest,
  key: ObjectiveKey,
  table: ConfidenceTable,
  asked: string = version,
): ModelCall<ReadingWire, Judgement> {
  const boundary = newBoundary();
  return {
    name: 'judge_answer',
    version: asked === VERSION_2 ? VERSION_2 : version,
    system: readingSystem,
    user: userParts(request, [], boundary),
    boundary,
    schema: readingSchema,
    outputTokens: READING_TOKENS,
    settings: { confidence_table: table.text },
    settle: (wire) => settleReading(request, key, table, wire),
  };
}
