import type { GivenAnswer } from '@evaluation/grading-model';
import type { RecordedQuestion } from '@evaluation/core-client';
import type { MarkedQuestion } from '@evaluation/grading-model';
import {
  failedQuestion,
  gradedQuestion,
  judgeRequest,
  type QuestionOutcome,
  type QuestionPart,
} from '@evaluation/evidence';
import {
  GraderFailure,
  RULES_VERSION,
  type Annotation,
  type CallEvidence,
  type JudgeRequest,
} from '@evaluation/grader';
import type { HeldRun } from './heldRun.ts';
import { judgementOf, settledAgain, type Judged } from './judgementOf.ts';
import { isOutOfTime } from './outOfTime.ts';
import type { Tools } from './tools.ts';
import type { UsageCount } from './usage.ts';

/**
 * Judges one answer and records it. An answer that the model cannot judge is recorded as failed, so that the other
 * questions still count (`partially_graded`); if the deadline has passed, the error is thrown and the run fails. If two
 * workers judge the same answer at once, the judgement that is recorded first becomes the cached judgement and both
 * runs use it.
 * @param place converts an annotation to the page as a viewer shows it
 * @returns the recorded result
 */
export const judgeQuestion = async (
  tools: Tools,
  run: HeldRun,
  usage: UsageCount,
  question: MarkedQuestion,
  answer: GivenAnswer,
  place: (annotation: Annotation) => Annotation = (annotation) => annotation,
): Promise<RecordedQuestion> => {
  const record = async ({ outcome, evidence, judgement }: Outcome) => {
    const result = { ...outcome, annotations: outcome.annotations.map(place) };
    const recorded = await run.write((grading, held) =>
      grading.recordQuestion.mutate({ held, result, evidence, used: usage.sofar(), judgement }),
    );
    // A core of the previous release returns nothing after recording.
    return { result, standing: recorded?.standing ?? null };
  };
  const request = judgeRequest(run.material.exam, question, answer);
  const own = await judge(tools, run, usage, question, answer, request);
  const { result, standing } = await record(own);
  if (standing === null) return result;
  const shared = settledAgain(request, standing);
  const counts = shared === null ? { ...own, judgement: undefined } : graded(question, answer, shared);
  return (await record(counts)).result;
};

export const recordDecided = async (run: HeldRun, result: QuestionOutcome): Promise<RecordedQuestion> => {
  await run.write((grading, held) => grading.recordQuestion.mutate({ held, result }));
  return result;
};

interface Outcome {
  outcome: QuestionOutcome;
  evidence?: QuestionPart;
  judgement?: { key: string; calls: CallEvidence[]; replaces: string | null } | undefined;
}

const judge = async (
  tools: Tools,
  run: HeldRun,
  usage: UsageCount,
  question: MarkedQuestion,
  answer: GivenAnswer,
  request: JudgeRequest,
): Promise<Outcome> => {
  try {
    return graded(question, answer, await judgementOf(tools, run, usage, request));
  } catch (error) {
    run.signal.throwIfAborted();
    if (!(error instanceof GraderFailure) || isOutOfTime(error, run)) throw error;
    tools.log.warn(
      { kind: error.kind, reason: error.message, run_id: run.material.run_id, question_id: question.id },
      'question could not be graded',
    );
    return { outcome: failedQuestion(question, answer, error.kind === 'unanswered') };
  }
};

const graded = (
  question: MarkedQuestion,
  answer: GivenAnswer,
  { judgement, calls, reusedFrom, shares }: Judged,
): Outcome => ({
  outcome: gradedQuestion(question, answer, judgement),
  evidence: { question, reused_from: reusedFrom, calls, rules: RULES_VERSION },
  judgement: shares === null ? undefined : { ...shares, calls },
});
