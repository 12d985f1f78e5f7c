import { alignAnswersCall } from './alignAnswers/alignAnswers.ts';
import { hashOfPrompt } from './callEvidence.ts';
import { tableOf } from './confidenceTable.ts';
import type { AlignRequest, CallEvidence, JudgeRequest } from './grader.ts';
import { judgeByCriteriaCall, readObjectiveCall } from './judgeAnswer/judgeAnswer.ts';
import { objectiveKey } from './judgeAnswer/objective.ts';
import type { ModelCall } from './modelCall.ts';

/**
 * Whether the recorded alignment was requested by the prompt that this release makes of the request. false if the code
 * changed without a new prompt version, or if evidence and request do not belong together. true for the baseline, which
 * has no prompt.
 */
export const askedToAlign = (request: AlignRequest, evidence: CallEvidence): boolean =>
  evidence.provider === 'baseline' || isPromptOf(alignAnswersCall(request), evidence);

/** `askedToAlign` for all looks of a judgement that was made for this request (not reused). */
export const askedToJudge = (request: JudgeRequest, evidence: readonly CallEvidence[]): boolean => {
  const key = objectiveKey(request.question);
  return evidence.every((call, look) => {
    if (call.provider === 'baseline') return true;
    const table = tableOf(call.settings);
    return key === null
      ? isPromptOf(judgeByCriteriaCall(request, look === 0 ? 'first' : 'second', table), call)
      : isPromptOf(readObjectiveCall(request, key, table), call);
  });
};

const isPromptOf = <Wire, Value>(call: ModelCall<Wire, Value>, { promptSha256 }: CallEvidence): boolean => {
  const texts = call.user.flatMap((part) => ('text' in part ? [part] : []));
  return hashOfPrompt(call, texts).promptSha256 === promptSha256;
};
