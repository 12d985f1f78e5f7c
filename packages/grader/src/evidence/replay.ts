import { runLanes } from '@evaluation/jobs-contract';
import {
  askedToAlign,
  askedToJudge,
  GraderFailure,
  MalformedOutput,
  resettleAlignment,
  resettleJudgement,
  resettleRubric,
} from '../index.ts';
import {
  canonicalJson,
  finalStatus,
  MAX_VISION_PAGES,
  PAGES_BEYOND_VISION_LIMIT,
  markByKey,
  totalsOf,
} from '@evaluation/rules';
import { answerTo, type ReadCopy } from './answerTo.ts';
import type { CheckedBundle, DecidedQuestion, EvidenceBundle, Outcome } from './bundle.ts';
import { copyReviewReasons, reasonsOfZero } from './copyReviewReasons.ts';
import { differences } from './differences.ts';
import { guided } from './guided.ts';
import {
  failedQuestion,
  gradedQuestion,
  isUnansweredQuestion,
  notAnsweredQuestion,
  withoutJudging,
  type QuestionOutcome,
} from './questionOutcome.ts';
import type { GivenAnswer, MarkedQuestion } from '@evaluation/rules/grading-model';
import { alignRequest, criteriaOf, judgeRequest, makeRubricRequest } from './requests.ts';
import { printable } from './printable.ts';
import { RELEASE } from './release.ts';

export interface Replayed {
  outcome: Outcome;
  /** Where the replayed result differs from the recorded one, and what could not be replayed; [] if both are equal. */
  differences: string[];
}

/**
 * Marks a submission again from its evidence: without a model, services, randomness or a clock. Page readings are taken
 * as recorded. The alignment, rubrics that the run made, marks, feedback, flags and totals are recomputed by the rules
 * of this release. If the result differs and another release made the evidence, the first difference names it.
 */
export const replay = (checked: CheckedBundle): Replayed => {
  const { bundle } = checked;
  const problems: string[] = [];
  remakeRubrics(checked, problems);
  const { decided: byGrader, reasons } =
    runLanes[bundle.submission.lane].grades === 'answers'
      ? replayTyped(checked, problems)
      : replayCopy(checked, problems);
  const decided = byGrader.map((question) => guided(checked, question, problems));
  const outcome: Outcome = {
    questions: decided,
    submission: bundle.recorded.submission === null ? null : submissionOf(bundle, decided, reasons),
  };
  const same = canonicalJson(outcome) === canonicalJson(bundle.recorded);
  const found = [...problems, ...(same ? [] : differences(bundle.recorded, outcome))];
  return {
    outcome,
    differences: [...(found.length === 0 ? [] : otherReleases(checked)), ...found].map(printable),
  };
};

/** One line if a part was made by another release, whose prompts and rules may differ. */
const otherReleases = ({ parts }: CheckedBundle): string[] => {
  const { pages, alignment, questions, rubrics } = parts;
  const made = [
    ...pages,
    ...(alignment === null ? [] : [alignment]),
    ...questions.values(),
    ...rubrics.values(),
  ];
  const others = new Set(made.map(({ release }) => release).filter((release) => release !== RELEASE));
  if (others.size === 0) return [];
  return [
    `this is release ${RELEASE}, and the evidence was made by release ${[...others].join(', ')}: replay it there`,
  ];
};

const OTHER_PROMPT = "has a prompt hash that differs from this release's prompt for the recorded request";

interface Decided {
  decided: DecidedQuestion[];
  reasons: string[];
}

const replayTyped = (checked: CheckedBundle, problems: string[]): Decided => {
  const { questions, answers } = checked.bundle;
  const byKey = new Map(markByKey(questions, answers).results.map((result) => [result.question_id, result]));
  const textOf = new Map(answers.map(({ question_id, text }) => [question_id, text ?? '']));
  const decided = due(checked.bundle).flatMap((question) => {
    const settled = byKey.get(question.id);
    if (settled === undefined) {
      const text = textOf.get(question.id) ?? '';
      return judged(checked, question, { text, legibility: null, blocks: [] }, problems);
    }
    const { status, awarded, extracted_answer } = settled;
    const outcome = { ...notAnsweredQuestion(question), status, awarded, extracted_answer };
    return [shown(question, outcome, status === 'graded' ? 'auto' : null)];
  });
  return { decided, reasons: [] };
};

const replayCopy = (checked: CheckedBundle, problems: string[]): Decided => {
  const { bundle, parts } = checked;
  const beyondVision = (bundle.submission.pages ?? 0) > MAX_VISION_PAGES ? [PAGES_BEYOND_VISION_LIMIT] : [];
  const recorded = parts.alignment;
  if (recorded === null) {
    if (bundle.run.status === 'completed') problems.push('the evidence has no alignment');
    return { decided: [], reasons: beyondVision };
  }
  const pages = parts.pages.flatMap((part) => part.pages).toSorted((a, b) => a.page - b.page);
  const copy = { pages, alignment: recorded.alignment };
  realign(checked, copy, problems);
  const ofZero = reasonsOfZero(recorded.facts, copy);
  const wanted = new Set(due(bundle));
  const decided = bundle.questions.flatMap((question, index) => {
    if (!wanted.has(question)) return [];
    const answer = answerTo(index + 1, copy, question);
    const decidedByCode = withoutJudging(question, answer, ofZero);
    if (decidedByCode !== null) return [shown(question, decidedByCode, null)];
    return judged(checked, question, answer, problems, ofZero);
  });
  return { decided, reasons: [...beyondVision, ...copyReviewReasons(recorded.facts, copy)] };
};

/** Computes the alignment again from the recorded reply, and reports a difference from the recorded one. */
const realign = ({ bundle, parts }: CheckedBundle, copy: ReadCopy, problems: string[]): void => {
  const call = parts.alignment?.calls.at(-1);
  // No call was made: the copy has no writing.
  if (call === undefined) return;
  attempt('the alignment', problems, () => {
    const request = alignRequest(bundle.questions, [...copy.pages]);
    const again = resettleAlignment(request, call);
    if (!askedToAlign(request, call)) problems.push(`the alignment ${OTHER_PROMPT}`);
    const recorded = copy.alignment.map(({ number, blocks }) => ({ number, blocks }));
    if (canonicalJson(again) !== canonicalJson(recorded))
      problems.push('the replayed alignment differs from the recorded one');
  });
};

/**
 * Computes the generated rubrics of the run again, and reports differences from the rubrics by which the run was
 * marked.
 */
const remakeRubrics = ({ bundle, parts }: CheckedBundle, problems: string[]): void => {
  for (const question of bundle.questions) {
    const part = parts.rubrics.get(question.id);
    if (part === undefined) continue;
    const name = `the rubric of question ${question.label}`;
    const call = part.calls.at(-1);
    if (call === undefined || plain(part.question) !== plain(question)) {
      problems.push(`${name}: the question of the evidence differs from the paper`);
      continue;
    }
    attempt(name, problems, () => {
      const again = resettleRubric(makeRubricRequest(bundle.exam, part.question), call);
      if (canonicalJson(again) !== canonicalJson(criteriaOf(question.rubric))) {
        problems.push(`${name}: the replayed rubric differs from the recorded one`);
      }
    });
  }
};

/**
 * A question as text without its rubric and model answer, to compare a question before and after the run made its
 * rubric.
 */
const plain = (question: MarkedQuestion): string =>
  canonicalJson({ ...question, rubric: null, model_answer: null });

/** The questions that the run reached: all of the paper, or, if the run failed, only the recorded ones. */
const due = ({ run, questions, recorded }: EvidenceBundle): MarkedQuestion[] =>
  run.status === 'completed'
    ? questions
    : questions.filter(({ id }) => recorded.questions.some(({ question_id }) => question_id === id));

const judged = (
  { bundle, parts }: CheckedBundle,
  question: MarkedQuestion,
  answer: GivenAnswer,
  problems: string[],
  ofZero: readonly string[] = [],
): DecidedQuestion[] => {
  const part = parts.questions.get(question.id);
  if (part === undefined) {
    const recorded = bundle.recorded.questions.find(({ question_id }) => question_id === question.id);
    if (recorded?.status === 'failed') {
      const failed = failedQuestion(question, answer, isUnansweredQuestion(recorded.error));
      return [shown(question, failed, null)];
    }
    problems.push(`question ${question.label}: the evidence has no judgement`);
    return [];
  }
  if (plain(part.question) !== plain(question)) {
    problems.push(`question ${question.label}: the question of the evidence differs from the paper`);
    return [];
  }
  return attempt(`question ${question.label}`, problems, () => {
    const examples = (part.examples ?? []).map((example) => ({ ...example, text: '' }));
    const request = judgeRequest(bundle.exam, part.question, answer, examples);
    const judgement = resettleJudgement(request, part.calls);
    // A reused judgement was requested by another run, for another copy's legibility; its prompt hash differs.
    if (part.reused_from === null && !askedToJudge(request, part.calls)) {
      problems.push(`question ${question.label} ${OTHER_PROMPT}`);
    }
    return [shown(question, gradedQuestion(part.question, answer, judgement, ofZero), 'ai')];
  });
};

/** Runs `work`. A GraderFailure or MalformedOutput becomes a difference; other errors are thrown. */
const attempt = <T>(what: string, problems: string[], work: () => T[] | void): T[] => {
  try {
    return work() ?? [];
  } catch (error) {
    if (!(error instanceof GraderFailure) && !(error instanceof MalformedOutput)) throw error;
    problems.push(`${what}: ${error.message}`);
    return [];
  }
};

/** The result that is compared. It has no annotations, because their places depend on the page images. */
const shown = (
  question: MarkedQuestion,
  outcome: QuestionOutcome,
  source: DecidedQuestion['source'],
): DecidedQuestion => {
  const { annotations: _, ...decided } = outcome;
  return { ...decided, max: question.max_marks, source };
};

/** The submission computed from its questions and the teachers' marks. */
const submissionOf = (
  { submission, run, questions, overrides }: EvidenceBundle,
  decided: readonly DecidedQuestion[],
  reasons: readonly string[],
): NonNullable<Outcome['submission']> => {
  const byTeacher = new Map(overrides.map(({ question_id, awarded }) => [question_id, awarded]));
  const byQuestion = new Map(decided.map((question) => [question.question_id, question]));
  const failed = run.status === 'failed';
  const effective = questions.map((question) => {
    const own = byQuestion.get(question.id);
    // A failed run is not charged, so only results that needed no AI are shown.
    const neededNoAi =
      own?.source === 'auto' ||
      (runLanes[submission.lane].grades === 'answers' && own?.status === 'not_answered');
    const hidden = own === undefined || (failed && !neededNoAi);
    const ofRun = {
      status: hidden ? 'failed' : own.status,
      awarded: hidden ? null : own.awarded,
      source: own?.source ?? null,
      needs_review: hidden || own.needs_review,
      counted: true,
      max: question.max_marks,
    };
    const awarded = byTeacher.get(question.id);
    return awarded === undefined
      ? ofRun
      : { ...ofRun, status: 'graded', awarded, source: ofRun.source ?? 'ai', needs_review: false };
  });
  const openReasons = submission.approved ? [] : [...new Set(reasons)];
  const flagged = failed || openReasons.length > 0 || effective.some(({ needs_review }) => needs_review);
  return {
    status: failed ? 'failed' : finalStatus(effective),
    needs_review: !submission.approved && flagged,
    review_reasons: openReasons,
    totals: totalsOf(effective),
  };
};
