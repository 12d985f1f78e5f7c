import type { PaperQuestion, RecordedQuestion } from '@evaluation/core-client';
import {
  failedQuestion,
  gradedQuestion,
  judgeRequest,
  notAnsweredQuestion,
  type GivenAnswer,
  type QuestionOutcome,
  type QuestionPart,
} from '@evaluation/evidence';
import { GraderFailure, RULES_VERSION, type Annotation } from '@evaluation/grader';
import type { HeldRun } from './heldRun.ts';
import { judgementOf } from './judgementOf.ts';
import { isOutOfTime } from './outOfTime.ts';
import type { Tools } from './tools.ts';
import type { UsageCount } from './usage.ts';

/**
 * Judges one answer and records it. A question that the model cannot judge is recorded as failed, so that the others
 * still count (spec 2.7, `partially_graded`); when the deadline has passed the run as a whole is over.
 * @param place where an annotation stands on the page as a viewer shows it
 * @returns what was recorded
 */
export const judgeQuestion = async (
  tools: Tools,
  run: HeldRun,
  usage: UsageCount,
  question: PaperQuestion,
  answer: GivenAnswer,
  place: (annotation: Annotation) => Annotation = (annotation) => annotation,
): Promise<RecordedQuestion> => {
  const { outcome, evidence } = await judge(tools, run, usage, question, answer);
  const result = { ...outcome, annotations: outcome.annotations.map(place) };
  await run.write((grading, held) =>
    grading.recordQuestion.mutate({ held, result, evidence, used: usage.sofar() }),
  );
  return result;
};

/** Records a question to which nothing was found: 0 marks, decided in code, no model call (design 3.17). */
export const recordNotAnswered = async (run: HeldRun, question: PaperQuestion): Promise<RecordedQuestion> => {
  const result = notAnsweredQuestion(question);
  await run.write((grading, held) => grading.recordQuestion.mutate({ held, result }));
  return result;
};

const judge = async (
  tools: Tools,
  run: HeldRun,
  usage: UsageCount,
  question: PaperQuestion,
  answer: GivenAnswer,
): Promise<{ outcome: QuestionOutcome; evidence?: QuestionPart }> => {
  try {
    const request = judgeRequest(run.material.exam, question, answer);
    const { judgement, calls, reusedFrom } = await judgementOf(tools, run, usage, question, request);
    return {
      outcome: gradedQuestion(question, answer, judgement),
      evidence: { question, reused_from: reusedFrom, calls, rules: RULES_VERSION },
    };
  } catch (error) {
    run.signal.throwIfAborted();
    if (!(error instanceof GraderFailure) || isOutOfTime(error, run)) throw error;
    tools.log.warn(
      { err: error, run_id: run.material.run_id, question_id: question.id },
      'a question could not be graded',
    );
    return { outcome: failedQuestion(question, answer) };
  }
};
