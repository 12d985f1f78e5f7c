import type { RecordedQuestion } from '@evaluation/core-client';
import {
  failedQuestion,
  gradedQuestion,
  type QuestionOutcome,
  type QuestionPart,
  RELEASE,
} from '@evaluation/grader/evidence';
import {
  GraderFailure,
  type Annotation,
  type CallEvidence,
  type Judgement,
  type MarkedExample,
} from '@evaluation/grader';
import type { GradingFailure } from '@evaluation/rest-contract/grading-failures';
import { atMost, RECORD_BOUNDS } from '@evaluation/rules';
import type { HeldRun } from './heldRun.ts';
import { judgementOf, reusedJudgement, type Judged, type LookedUp } from './judgementOf.ts';
import { isOutOfTime } from './outOfTime.ts';
import type { Tools } from './tools.ts';
import type { UsageCount } from './usage.ts';

/** What a copy adds to the judgement of its answers. */
export interface OfCopy {
  /** Converts an annotation to the page as a viewer shows it. */
  place: (annotation: Annotation) => Annotation;
  /** Review reasons of a question with 0 marks. */
  ofZero: readonly string[];
}

const OF_TYPED: OfCopy = { place: (annotation) => annotation, ofZero: [] };

/**
 * Judges one answer and hands the result to the records of the run. An answer that the model cannot judge is recorded
 * as failed, so that the other questions still count (`partially_graded`); if the deadline has passed, the error is
 * thrown and the run fails. If two workers judge the same answer at once, the judgement that is recorded first
 * becomes the cached judgement and both runs use it.
 * @returns `recorded`: the recorded result. The caller does not wait for it before it judges the next answer.
 */
export const judgeQuestion = async (
  tools: Tools,
  run: HeldRun,
  usage: UsageCount,
  asked: LookedUp,
  { place, ofZero }: OfCopy = OF_TYPED,
): Promise<{ recorded: Promise<RecordedQuestion> }> => {
  const { request } = asked;
  const placed = ({ outcome, failure, ...rest }: Outcome) => ({
    result: {
      ...outcome,
      annotations: outcome.annotations.map(place),
      error: failure === undefined ? null : { reason: failure },
    },
    ...rest,
  });
  const own = await judge(tools, run, usage, asked, ofZero);
  const recorded = run.records.question(placed(own), (cached) => {
    const shared = reusedJudgement(request, cached);
    return placed(shared === null ? { ...own, judgement: undefined } : graded(asked, shared, ofZero));
  });
  return { recorded };
};

interface Outcome {
  outcome: QuestionOutcome;
  /** Reason of a failed outcome. Core takes its text from it. */
  failure?: GradingFailure;
  evidence?: QuestionPart;
  judgement?: { key: string; calls: CallEvidence[]; replaces: string | null } | undefined;
}

const judge = async (
  tools: Tools,
  run: HeldRun,
  usage: UsageCount,
  asked: LookedUp,
  ofZero: readonly string[],
): Promise<Outcome> => {
  const { question, answer } = asked;
  try {
    return graded(asked, await judgementOf(tools, run, usage, asked), ofZero);
  } catch (error) {
    run.signal.throwIfAborted();
    if (!(error instanceof GraderFailure) || isOutOfTime(error, run)) throw error;
    tools.log.warn(
      { kind: error.kind, reason: error.message, run_id: run.material.run_id, question_id: question.id },
      'question could not be graded',
    );
    const isUnanswered = error.kind === 'unanswered';
    return {
      outcome: failedQuestion(question, answer, isUnanswered),
      failure: isUnanswered ? 'question_not_answered' : 'question_not_graded',
    };
  }
};

const graded = (
  { question, answer, request: { examples = [] } }: LookedUp,
  { judgement, calls, reusedFrom, shares }: Judged,
  ofZero: readonly string[],
): Outcome => ({
  outcome: withQuotations(gradedQuestion(question, answer, judgement, ofZero), judgement),
  evidence: {
    question,
    reused_from: reusedFrom,
    ...(examples.length === 0 ? {} : { examples: examples.map(referenceTo) }),
    calls,
    release: RELEASE,
  },
  judgement: shares === null ? undefined : { ...shares, calls },
});

/** Evidence refers to an example and does not repeat its text, which belongs to another candidate. */
const referenceTo = ({ sha256, awarded, guide_version }: MarkedExample) => ({
  sha256,
  awarded,
  ...(guide_version === undefined ? {} : { guide_version }),
});

/** Adds to each criterion the words of the answer that its mark rests on. The marking screen of the desk shows them. */
const withQuotations = (outcome: QuestionOutcome, { criteria }: Judgement): QuestionOutcome => ({
  ...outcome,
  criteria: outcome.criteria.map((criterion, place) => ({
    ...criterion,
    evidence: quotationOf(criteria[place]?.evidence),
  })),
});

const quotationOf = (words: string | null | undefined): string | null =>
  words == null ? null : atMost(RECORD_BOUNDS.quotation, words);
