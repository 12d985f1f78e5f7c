import { Calls } from '@evaluation/grader/evidence';
import {
  GraderFailure,
  MalformedOutput,
  resettleJudgement,
  type CallEvidence,
  type Judgement,
  type JudgeRequest,
  type MarkedExample,
} from '@evaluation/grader';
import { judgeRequest } from '@evaluation/grader/evidence';
import type { GivenAnswer, MarkedQuestion } from '@evaluation/rules/grading-model';
import type { HeldRun } from './heldRun.ts';
import type { Found } from './records.ts';
import type { Tools } from './tools.ts';
import type { UsageCount } from './usage.ts';

export interface Judged {
  judgement: Judgement;
  calls: CallEvidence[];
  /** Run whose cached judgement was used; null if the model was asked for this run. */
  reusedFrom: string | null;
  /** Cache key under which core stores the judgement, and the cached run it replaces; null: not cached. */
  shares: { key: string; replaces: string | null } | null;
}

/** An answer whose judgement was looked up in the cache. */
export interface LookedUp {
  question: MarkedQuestion;
  answer: GivenAnswer;
  request: JudgeRequest;
  /** Null if judgements of this run or grader are not cached. */
  key: string | null;
  found: Found | null;
}

/**
 * Looks answers up in the cache of judgements, all in one call. The cache has the judgement of the same answer under
 * the same question, rubric, model and prompt (decision 017). A re-evaluation of a completed run (`rejudges`) always
 * asks the model and does not change the cache. @throws RunLost
 */
export const lookUp = async (
  tools: Tools,
  run: HeldRun,
  answers: readonly { question: MarkedQuestion; answer: GivenAnswer }[],
): Promise<LookedUp[]> => {
  const asked = answers.map(({ question, answer }) => {
    const request = judgeRequest(run.material.exam, question, answer, examplesOf(tools, run, question));
    const key = run.material.rejudges ? null : tools.grader.judgementKey(request);
    return { question, answer, request, key };
  });
  const keys = new Set(asked.flatMap(({ key }) => (key === null ? [] : [key])));
  const found = new Map((await run.records.find([...keys])).map((judgement) => [judgement.key, judgement]));
  return asked.map((each) => ({ ...each, found: each.key === null ? null : (found.get(each.key) ?? null) }));
};

/** The baseline marks without examples, so its evidence has none. */
const examplesOf = (tools: Tools, run: HeldRun, question: MarkedQuestion): MarkedExample[] =>
  tools.grader.provider === 'baseline' || question.type !== 'long_answer'
    ? []
    : run.material.examples.flatMap(({ question_id, ...example }) =>
        question_id === question.id ? [example] : [],
      );

/**
 * Computes the cached judgement again for the places and legibility of this copy, or asks the model.
 * @throws RunLost, GraderFailure
 */
export const judgementOf = async (
  tools: Tools,
  run: HeldRun,
  usage: UsageCount,
  { request, key, found }: LookedUp,
): Promise<Judged> => {
  const again = found === null ? null : reusedJudgement(request, found);
  if (again !== null) {
    usage.reused(again.calls);
    return again;
  }
  const { value, evidence } = await usage.counted(tools.grader.judgeAnswer(request, run));
  const shares = key === null ? null : { key, replaces: found?.run_id ?? null };
  return { judgement: value, calls: evidence, reusedFrom: null, shares };
};

/**
 * Computes this answer's judgement from the replies of a cached one.
 * @returns null if the cached replies cannot be parsed or would not be accepted under the current rules
 */
export const reusedJudgement = (
  request: JudgeRequest,
  cached: { run_id: string; evidence?: unknown },
): Judged | null => {
  const calls = Calls.safeParse(cached.evidence);
  if (!calls.success) return null;
  try {
    const judgement = resettleJudgement(request, calls.data);
    return { judgement, calls: calls.data, reusedFrom: cached.run_id, shares: null };
  } catch (error) {
    if (error instanceof GraderFailure || error instanceof MalformedOutput) return null;
    throw error;
  }
};
