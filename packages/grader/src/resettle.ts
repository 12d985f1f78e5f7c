/**
 * Settles recorded replies again without calls, with the code that settled them first: for reuse of stored judgements
 * and for replays of evidence. All functions are pure.
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
import { BASELINE_VERSION } from './baseline/worked.ts';
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
import { isKnownRules, RULES_VERSION } from './rulesVersion.ts';
import { readStrict } from './strictSchema.ts';

/**
 * Refuses evidence of unknown rules, whose different results would look like tampering.
 * @param version rules of a record; undefined before rules had versions
 * @throws GraderFailure permanent if this release has other rules
 */
export const checkRules = (version: string | undefined): void => {
  if (isKnownRules(version)) return;
  throw new GraderFailure(
    'permanent',
    `it was settled by ${String(version)} and this release has ${RULES_VERSION}: replay it with the release that marked`,
  );
};

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
  if (key !== null) return resettled(readObjectiveCall(request, key, table, first.promptVersion), first);
  return judgementOf(
    request,
    resettled(judgeByCriteriaCall(request, 'first', table, first.promptVersion), first),
    second === undefined
      ? null
      : resettled(judgeByCriteriaCall(request, 'second', table, second.promptVersion), second),
    table,
  );
};

const isBaseline = ({ provider, promptVersion }: CallEvidence): boolean => {
  if (provider !== 'baseline') return false;
  if (promptVersion !== BASELINE_VERSION) throw unknownVersion(promptVersion);
  return true;
};

const resettled = <Wire, Value>(
  call: ModelCall<Wire, Value>,
  { promptVersion, reply }: CallEvidence,
): Value => {
  if (promptVersion !== call.version) throw unknownVersion(promptVersion);
  return call.settle(readStrict(call.schema, reply)).value;
};

const unknownVersion = (version: string): GraderFailure =>
  new GraderFailure('permanent', `this release cannot settle replies to ${version}`);
