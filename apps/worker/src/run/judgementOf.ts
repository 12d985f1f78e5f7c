import { isUnknownProcedure, type PaperQuestion } from '@evaluation/core-client';
import { Calls } from '@evaluation/evidence';
import {
  GraderFailure,
  MalformedOutput,
  resettleJudgement,
  type CallEvidence,
  type Judgement,
  type JudgeRequest,
} from '@evaluation/grader';
import { canonicalJson } from '@evaluation/rules';
import type { HeldRun } from './heldRun.ts';
import type { Tools } from './tools.ts';
import type { UsageCount } from './usage.ts';

/** How an answer was judged, and what that rests on. */
export interface Judged {
  judgement: Judgement;
  calls: CallEvidence[];
  /** The run whose judgement of the same answer was used again; null: it was judged for this one. */
  reusedFrom: string | null;
}

/**
 * Judges an answer, once for all who gave it: what stands for the same answer under the same question, rubric, model and
 * prompt is settled again for this copy, whose places and legibility are its own (decision 017). Of two that are judged at
 * once the first that is kept stands, for both. A re-evaluation of what was marked doubts it: it asks anew and leaves what
 * stands as it is; one after a failure doubts nothing. A core of the release before knows of no standing judgements: then
 * each answer is judged by itself.
 * @throws RunLost, GraderFailure
 */
export const judgementOf = async (
  tools: Tools,
  run: HeldRun,
  usage: UsageCount,
  question: PaperQuestion,
  request: JudgeRequest,
): Promise<Judged> => {
  const ask = async (): Promise<Judged> => {
    const answered = await usage.counted(
      tools.grader.judgeAnswer(request, { signal: run.signal, deadline: run.deadline }),
    );
    return { judgement: answered.value, calls: answered.evidence, reusedFrom: null };
  };
  const key = run.material.rejudges ? null : tools.grader.judgementKey(request);
  if (key === null) return await ask();

  const found = await orNull(run.write((grading, held) => grading.findJudgement.query({ held, key })));
  const again = found === null ? null : settledAgain(request, found);
  if (again !== null) {
    usage.reused(again.calls);
    return again;
  }

  const own = await ask();
  const kept = await orNull(
    run.write((grading, held) =>
      grading.keepJudgement.mutate({
        held,
        question_id: question.id,
        key,
        evidence: own.calls,
        replaces: found?.run_id ?? null,
        used: usage.sofar(),
      }),
    ),
  );
  if (kept === null) return own;
  if (canonicalJson(kept.evidence) === canonicalJson(own.calls)) return own;
  return settledAgain(request, kept) ?? own;
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

/** null: it is not understood any more, or would not be accepted now, and the answer is judged anew. */
const settledAgain = (
  request: JudgeRequest,
  standing: { run_id: string; evidence?: unknown },
): Judged | null => {
  const calls = Calls.safeParse(standing.evidence);
  if (!calls.success) return null;
  try {
    const judgement = resettleJudgement(request, calls.data);
    return { judgement, calls: calls.data, reusedFrom: standing.run_id };
  } catch (error) {
    if (error instanceof GraderFailure || error instanceof MalformedOutput) return null;
    throw error;
  }
};
