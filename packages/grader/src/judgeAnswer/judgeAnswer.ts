import type { ObjectiveKey } from '@evaluation/rules';
import { newBoundary } from '../fence.ts';
import type { Judgement, JudgeRequest } from '../grader.ts';
import type { ModelCall } from '../modelCall.ts';
import { criteriaOf } from './criteria.ts';
import { settleJudgement, settleReading } from './parse.ts';
import { criteriaSystem, markingLines, readingSystem, userParts, version } from './prompt.ts';
import { criteriaSchema, readingSchema } from './schema.ts';
import type { CriteriaWire, ReadingWire } from './schema.ts';

/** Asks a model to mark a long answer by its criteria. */
export function judgeByCriteriaCall(request: JudgeRequest): ModelCall<CriteriaWire, Judgement> {
  const criteria = criteriaOf(request.question);
  return {
    name: 'judge_answer',
    version,
    system: criteriaSystem,
    user: userParts(request, markingLines(request.question, criteria), newBoundary()),
    schema: criteriaSchema,
    settle: (wire) => settleJudgement(request, criteria, wire),
  };
}

/** Asks a model what was answered to an objective question. The prompt does not hold the key, so it cannot bias. */
export function readObjectiveCall(
  request: JudgeRequest,
  key: ObjectiveKey,
): ModelCall<ReadingWire, Judgement> {
  return {
    name: 'judge_answer',
    version,
    system: readingSystem,
    user: userParts(request, [], newBoundary()),
    schema: readingSchema,
    settle: (wire) => settleReading(request, key, wire),
  };
}
