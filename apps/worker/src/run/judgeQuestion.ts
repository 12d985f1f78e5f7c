import type { PaperQuestion, RecordedQuestion } from '@evaluation/core-client';
import {
  GraderFailure,
  type Annotation,
  type Box,
  type Judgement,
  type JudgeRequest,
} from '@evaluation/grader';
import type { HeldRun } from './heldRun.ts';
import { isOutOfTime } from './outOfTime.ts';
import type { Tools } from './tools.ts';
import type { UsageCount } from './usage.ts';

/** What was answered to one question: typed, or read from a copy with the places where it stands. */
export interface GivenAnswer {
  text: string;
  legibility: number | null;
  blocks: { page: number; box: Box; text: string }[];
}

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
  const judged = await judge(tools, run, usage, question, answer);
  const result = { ...judged, annotations: judged.annotations.map(place) };
  await run.write((grading, held) => grading.recordQuestion.mutate({ held, result }));
  return result;
};

/** Records a question to which nothing was found: 0 marks, decided in code, no model call (design 3.17). */
export const recordNotAnswered = async (run: HeldRun, question: PaperQuestion): Promise<RecordedQuestion> => {
  const result: RecordedQuestion = {
    ...nothing(question),
    status: 'not_answered',
    awarded: 0,
  };
  await run.write((grading, held) => grading.recordQuestion.mutate({ held, result }));
  return result;
};

const judge = async (
  tools: Tools,
  run: HeldRun,
  usage: UsageCount,
  question: PaperQuestion,
  answer: GivenAnswer,
): Promise<RecordedQuestion> => {
  try {
    const judgement = usage.of(
      await tools.grader.judgeAnswer(requestFor(run, question, answer), {
        signal: run.signal,
        deadline: run.deadline,
      }),
    );
    return graded(question, answer, judgement);
  } catch (error) {
    run.signal.throwIfAborted();
    if (!(error instanceof GraderFailure) || isOutOfTime(error, run)) throw error;
    tools.log.warn(
      { err: error, run_id: run.material.run_id, question_id: question.id },
      'a question could not be graded',
    );
    return {
      ...nothing(question),
      status: 'failed',
      awarded: null,
      needs_review: true,
      review_reasons: ['failed'],
      extracted_answer: answer.text,
      error: { code: 'grading_failed', message: 'The model could not grade this question.' },
    };
  }
};

const nothing = (question: PaperQuestion) => ({
  question_id: question.id,
  confidence: null,
  needs_review: false,
  review_reasons: [],
  extracted_answer: null,
  feedback: null,
  criteria: [],
  annotations: [],
  error: null,
});

const graded = (question: PaperQuestion, answer: GivenAnswer, judgement: Judgement): RecordedQuestion => ({
  question_id: question.id,
  status: 'graded',
  awarded: judgement.awarded,
  confidence: judgement.confidence,
  needs_review: judgement.reviewReasons.length > 0,
  review_reasons: judgement.reviewReasons,
  extracted_answer: answer.text,
  feedback: judgement.feedback,
  criteria: judgement.criteria.map(({ name, awarded, max, reason }) => ({ name, awarded, max, reason })),
  annotations: judgement.annotations,
  error: null,
});

const requestFor = (run: HeldRun, question: PaperQuestion, answer: GivenAnswer): JudgeRequest => {
  const { subject, level, board, class: className, instructions } = run.material.exam;
  return {
    exam: { subject, level, board, class: className, instructions },
    question: {
      label: question.label,
      type: question.type,
      text: question.text,
      maxMarks: question.max_marks,
      options: question.options,
      correctOptions: question.correct_options,
      answer: question.answer,
      modelAnswer: question.model_answer,
      partialMarking: question.rubric?.partial_marking ?? null,
      criteria: (question.rubric?.criteria ?? []).map(({ name, marks, keywords, guidance }) => ({
        name,
        marks,
        keywords: keywords ?? [],
        guidance: guidance ?? null,
      })),
    },
    answer,
  };
};
