import type { ObjectiveKey } from '@evaluation/rules';
import type { ConfidenceTable } from '../confidenceTable.ts';
import { newBoundary } from '../fence.ts';
import type { Judgement, JudgeRequest } from '../grader.ts';
import type { ModelCall } from '../modelCall.ts';
import { criteriaOf } from './criteria.ts';
import { settleLook, settleReading } from './parse.ts';
import type { Look } from './parse.ts';
import { CRITERIA_SYSTEM, markingParts, READING_SYSTEM, userParts, VERSION, versionFor } from './prompt.ts';
import { criteriaSchemaFor, readingSchema, type CriteriaWire, type ReadingWire } from './schema.ts';

/** Tokens of the feedback and the fields around it. */
const JUDGEMENT_TOKENS = 400;
/** Tokens of quote, reason, marks and certainty; most replies take 100. */
const CRITERION_TOKENS = 250;
/** Tokens of a quote, and of one or two sentences for each possible result. */
const READING_TOKENS = 800;

/**
 * Asks a model to mark a long answer by its criteria. The second look lists them in another order (secondLook.ts);
 * judgement.ts combines the looks.
 */
export const judgeByCriteriaCall = (
  request: JudgeRequest,
  look: 'first' | 'second',
  table: ConfidenceTable,
): ModelCall<CriteriaWire, Look> => {
  const criteria = criteriaOf(request.question);
  const boundary = newBoundary();
  const marking = markingParts(request.question, criteria);
  return {
    name: 'judge_answer',
    version: versionFor(request),
    system: CRITERIA_SYSTEM,
    schema: criteriaSchemaFor(criteria, request.question.partialMarking !== false),
    user: userParts(request, look === 'first' ? marking.inOrder : marking.otherwise, boundary),
    boundary,
    outputTokens: JUDGEMENT_TOKENS + CRITERION_TOKENS * criteria.length,
    settings: { confidence_table: table.text },
    settle: (wire) => settleLook(request, criteria, wire),
  };
};

/** Asks a model to read the answer to an objective question. The prompt has no key, which could bias the reading. */
export const readObjectiveCall = (
  request: JudgeRequest,
  key: ObjectiveKey,
  table: ConfidenceTable,
): ModelCall<ReadingWire, Judgement> => {
  const boundary = newBoundary();
  return {
    name: 'judge_answer',
    version: VERSION,
    system: READING_SYSTEM,
    schema: readingSchema,
    // The key decides the marks, so marked examples would not help.
    user: userParts({ ...request, examples: [] }, [], boundary),
    boundary,
    outputTokens: READING_TOKENS,
    settings: { confidence_table: table.text },
    settle: (wire) => settleReading(request, key, table, wire),
  };
};
