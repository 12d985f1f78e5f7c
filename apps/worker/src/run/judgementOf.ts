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

/** How an answer was judged, and what that rests on. */
export interface Judged {
  judgement: Judgement;
  calls: CallEvidence[];
  /** The run whose judgement of the same answer was used again; null: it was judged for this one. */
  reusedFrom: string | null;
  /** Under which name core is to keep it for others, in place of what; null: it is nobody else's. */
  shares: { key: string; replaces: string | null } | null;
}

/**
 * Judges an answer, once for all who gave it: what stands for the same answer under the same question, rubric, model and
 * prompt is settled again for this copy, whose places and legibility are its own (decision 017). A re-evaluation of what
 * was marked doubts it: it asks anew and leaves what stands as it is; one after a failure doubts nothing. A core of the
 * release before knows of no standing judgements: then each answer is judged by itself.
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

/** null also where core does not know of such a thing. */
const orNull = async <T>(asked: Promise<T>): Promise<T | null> => {
  try {
    return await asked;
  } catch (error) {
    if (isUnknownProcedure(error)) return null;
    throw error;
  }
};

/**
 * What stands for the same answer, for this one.
 * @returns null: it is not understood any more, or would not be accepted now, and the answer's own judgement counts
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
