import type { ConfidenceTable } from '../confidenceTable.ts';
import type { Answered, CallOptions, Judgement, JudgeRequest } from '../grader.ts';
import { GraderFailure } from '../grader.ts';
import type { ModelCall } from '../modelCall.ts';
import { addUsage } from '../usage.ts';
import { judgeByCriteriaCall } from './judgeAnswer.ts';
import { judgementOf } from './judgement.ts';
import type { Look } from './parse.ts';
import { deservesSecondLook } from './secondLook.ts';
import type { SecondLookRule } from './secondLook.ts';

type Ask = <Wire, Value>(call: ModelCall<Wire, Value>, options: CallOptions) => Promise<Answered<Value>>;

/**
 * Judges an answer, and again if a second look is worth a call. The second look takes at most half of the remaining
 * time; if it fails, the first judgement counts.
 */
export const judgeTwice = async (
  ask: Ask,
  request: JudgeRequest,
  rule: SecondLookRule,
  table: ConfidenceTable,
  options: CallOptions,
): Promise<Answered<Judgement>> => {
  const first = await ask(judgeByCriteriaCall(request, 'first', table), options);
  const judged = { ...first, value: judgementOf(request, first.value, null, table) };
  if (!deservesSecondLook(request, first.value, judged.value, rule, table)) return judged;
  const second = await lookAgain(ask, request, table, options);
  if (second instanceof GraderFailure) {
    return { ...judged, usage: second.spent.map(({ usage }) => usage).reduce(addUsage, first.usage) };
  }
  const problems = [
    ...(first.problems ?? []),
    ...(second.problems ?? []).map((problem) => `second look: ${problem}`),
  ];
  return {
    value: judgementOf(request, first.value, second.value, table),
    usage: addUsage(first.usage, second.usage),
    evidence: [...first.evidence, ...second.evidence],
    ...(problems.length === 0 ? {} : { problems }),
  };
};

const lookAgain = async (
  ask: Ask,
  request: JudgeRequest,
  table: ConfidenceTable,
  { signal, deadline }: CallOptions,
): Promise<Answered<Look> | GraderFailure> => {
  const halfway = new Date((Date.now() + deadline.getTime()) / 2);
  try {
    return await ask(judgeByCriteriaCall(request, 'second', table), { signal, deadline: halfway });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof GraderFailure) return error;
    throw error;
  }
};
