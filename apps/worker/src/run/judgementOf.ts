import { isUnknownProcedure } from '@evaluation/core-client';
import { Calls } from '@evaluation/evidence';
import {
  GraderFailure,
  MalformedOutput,
  resettleJudgement,
  type CallEvidence,
  type Judgement,
  type JudgeRequest,
} from '@evaluation/grader';
import type { HeldRun } from './heldRun.ts';
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

/**
 * Returns the cached judgement of the same answer under the same question, rubric, model and prompt, computed again for
 * the places and legibility of this copy (decision 017), or asks the model. A re-evaluation of a completed run
 * (`rejudges`) always asks the model and does not change the cache. A core of the previous release has no cache.
 * @throws RunLost, GraderFailure
 */
export const judgementOf = async (
  tools: Tools,
  run: HeldRun,
  usage: UsageCount,
  request: JudgeRequest,
): Promise<Judged> => {
  const key = run.material.rejudges ? null : tools.grader.judgementKey(request);
  const found =
    key === null
      ? null
      : await orNull(run.write((grading, held) => grading.findJudgement.query({ held, key })));
  const again = found === null ? null : settledAgain(request, found);
  if (again !== null) {
    usage.reused(again.calls);
    return again;
  }
  const { value, evidence } = await usage.counted(tools.grader.judgeAnswer(request, run));
  const shares = key === null ? null : { key, replaces: found?.run_id ?? null };
  return { judgement: value, calls: evidence, reusedFrom: null, shares };
};

/** null also if core does not have the procedure. */
const orNull = async <T>(asked: Promise<T>): Promise<T | null> => {
  try {
    return await asked;
  } catch (error) {
    if (isUnknownProcedure(error)) return null;
    throw error;
  }
};

/**
 * Computes this answer's judgement from the replies of a cached one.
 * @returns null if the cached replies cannot be parsed or would not be accepted under the current rules
 */
export const settledAgain = (
  request: JudgeRequest,
  standing: { run_id: string; evidence?: unknown },
): Judged | null => {
  const calls = Calls.safeParse(standing.evidence);
  if (!calls.success) return null;
  try {
    const judgement = resettleJudgement(request, calls.data);
    return { judgement, calls: calls.data, reusedFrom: standing.run_id, shares: null };
  } catch (error) {
    if (error instanceof GraderFailure || error instanceof MalformedOutput) return null;
    throw error;
  }
};
