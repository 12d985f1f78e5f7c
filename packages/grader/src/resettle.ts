/**
 * Settles recorded replies again without calls: for reuse of stored judgements and for replays of evidence. All
 * functions are pure.
 *
 * Each throws GraderFailure permanent if the prompt version of the evidence is unknown, and MalformedOutput if the
 * reply would not have been accepted.
 *
 * Only request and evidence are read. Evidence includes the confidence table (`settings.confidence_table`), so a reused
 * judgement keeps its confidence, and a replay gives the same bytes under any settings.
 */
import { alignAnswersCall } from './alignAnswers/alignAnswers.ts';
import { alignByLabels } from './baseline/align.ts';
import { judgeLexically } from './baseline/judge.ts';
import { rubricFromWords } from './baseline/makeRubric.ts';
import type {
  AlignedAnswer,
  AlignRequest,
  CallEvidence,
  Judgement,
  JudgeRequest,
  MadeRubric,
  MakeRubricRequest,
} from './grader.ts';
import { GraderFailure } from './grader.ts';
import { tableOf } from './confidenceTable.ts';
import { judgementOf } from './judgeAnswer/judgement.ts';
import { judgeByCriteriaCall, readObjectiveCall } from './judgeAnswer/judgeAnswer.ts';
import { objectiveKey } from './judgeAnswer/objective.ts';
import { makeRubricCall } from './makeRubric/makeRubric.ts';
import type { ModelCall } from './modelCall.ts';
import { readStrict } from './strictSchema.ts';

export const resettleAlignment = (request: AlignRequest, evidence: CallEvidence): AlignedAnswer[] => {
  if (isBaseline(evidence)) return alignByLabels(request);
  return resettled(alignAnswersCall(request), evidence);
};

export const resettleRubric = (request: MakeRubricRequest, evidence: CallEvidence): MadeRubric => {
  if (isBaseline(evidence)) return rubricFromWords(request);
  return resettled(makeRubricCall(request), evidence);
};

/**
 * @param evidence of one judgement, complete and in order: the first look, then the second if there was one. The second
 *   look changes no marks but lowers confidence, so it must not be left out.
 */
export const resettleJudgement = (request: JudgeRequest, evidence: readonly CallEvidence[]): Judgement => {
  const [first, second] = evidence;
  if (first === undefined) throw new GraderFailure('permanent', 'there is no evidence of a judgement');
  if (isBaseline(first)) return judgeLexically(request);
  const table = tableOf(first.settings);
  const key = objectiveKey(request.question);
  if (key !== null) return resettled(readObjectiveCall(request, key, table), first);
  return judgementOf(
    request,
    resettled(judgeByCriteriaCall(request, 'first', table), first),
    second === undefined ? null : resettled(judgeByCriteriaCall(request, 'second', table), second),
    table,
  );
};

/** The baseline has no reply to read: it judges again. */
const isBaseline = ({ provider }: CallEvidence): boolean => provider === 'baseline';

const resettled = <Wire, Value>(
  call: ModelCall<Wire, Value>,
  { promptVersion, reply }: CallEvidence,
): Value => {
  if (promptVersion !== call.version) {
    throw new GraderFailure('permanent', `this release cannot settle replies to ${promptVersion}`);
  }
  return call.settle(readStrict(call.schema, reply)).value;
};
