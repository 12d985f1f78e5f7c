import {
  chooseNext,
  fitGuide,
  GUIDE_CONSTANTS,
  leaveOneOut,
  passing,
  predict,
  scaleOf,
  type FittedGuide,
  type GuideConstants,
  type MarkScale,
} from '@evaluation/guide';
import { isBlankText, isWithin } from '@evaluation/rules';
import type { Pair } from './pairs.ts';
import { randomFrom } from '../statistics/random.ts';
import { estimateLearning, type LearnedAnswer } from './estimateLearning.ts';

interface LearnPlan {
  /** Numbers of answers per question that the teacher marks. */
  marked: readonly number[];
  /** Whether the guide chooses them; else they are drawn. */
  chosen: boolean;
  /** Agreement that what passes without review must reach. */
  target: number;
  /** Constants of the guides, which depend on the kind of grader. Default: those of the baseline. */
  constants?: GuideConstants;
}

/** Marks of an answer with its text. */
export interface LearnableAnswer extends Pair {
  text: string;
}

/**
 * Random choices of the marked answers. Their results are pooled, because the result of one choice depends on chance.
 */
const DRAWS = 3;

export type Learning = ReturnType<typeof learn>[number];

/**
 * What a teacher's marks teach: for each number of marked answers, a guide per question marks the others, and the
 * result is compared with the human marks. Reproducible: the draws are seeded by question.
 */
export const learn = (
  answers: readonly LearnableAnswer[],
  { marked, chosen, target, constants = GUIDE_CONSTANTS }: LearnPlan,
  onDone: (marked: number) => void = () => {},
) => {
  const questions = [...Map.groupBy(answers, ({ questionId }) => questionId).values()];
  const most = Math.max(0, ...marked);
  const orders = Array.from({ length: chosen ? 1 : DRAWS }, (_, draw) =>
    questions.map((question) => (chosen ? chosenOrder(question, most) : drawnOrder(question, draw))),
  );
  return marked.map((count) => {
    const draws = orders.map((order) => learnOnce(questions, order, { count, target, constants }));
    const entry = { marked: count, chosen, ...estimateLearning(answers, draws, target, `learn ${count}`) };
    onDone(count);
    return entry;
  });
};

/** Answers that a teacher can mark, in the order in which they are marked. Blank ones are marked by code. */
const drawnOrder = (question: readonly LearnableAnswer[], draw: number): LearnableAnswer[] => {
  const random = randomFrom(`learn ${draw} ${question[0]?.questionId ?? ''}`);
  return question
    .filter(({ text }) => !isBlankText(text))
    .map((answer) => ({ answer, key: random() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ answer }) => answer);
};

const chosenOrder = (question: readonly LearnableAnswer[], count: number): LearnableAnswer[] => {
  const byId = new Map(
    question.filter(({ text }) => !isBlankText(text)).map((answer) => [idOf(answer), answer]),
  );
  const candidates = [...byId].map(([id, { text }]) => ({ id, text }));
  return chooseNext([], candidates, count).flatMap((id) => byId.get(id) ?? []);
};

const idOf = ({ line }: LearnableAnswer): string => String(line).padStart(9, '0');

/** One draw: the predictions of the unmarked answers, with those that pass without review. */
const learnOnce = (
  questions: readonly (readonly LearnableAnswer[])[],
  orders: readonly (readonly LearnableAnswer[])[],
  { count, target, constants }: { count: number; target: number; constants: GuideConstants },
): LearnedAnswer[] => {
  const guides = questions.map((question, place) => {
    const examples = (orders[place] ?? []).slice(0, count);
    return { question, ...fitted(examples, question[0]?.maxMarks ?? 1, constants) };
  });
  const pairs = guides.flatMap(({ guide, scale }) =>
    leaveOneOut(guide, scale).map(({ agreement, marks, teacherShare }) => ({
      agreement,
      agreed: isWithin(marks, teacherShare * scale.maxMarks, scale.tolerance),
    })),
  );
  const { threshold } = passing({ pairs, target });
  return guides.flatMap(({ question, lines, guide, scale }) =>
    question.map((answer): LearnedAnswer => {
      const { line, questionId, maxMarks, human, machine, text } = answer;
      const facts = { line, questionId, human: human / maxMarks };
      if (lines.has(line))
        return { ...facts, isMarked: true, machine: facts.human, passes: false, agreed: true };
      if (isBlankText(text) || count === 0) {
        return {
          ...facts,
          isMarked: false,
          machine: machine / maxMarks,
          passes: false,
          agreed: isWithin(machine, human, scale.tolerance),
        };
      }
      const { marks, agreement } = predict(guide, { text, graderShare: machine / maxMarks }, scale);
      const passes = threshold !== null && agreement >= threshold;
      return {
        ...facts,
        isMarked: false,
        machine: marks / maxMarks,
        passes,
        agreed: isWithin(marks, human, scale.tolerance),
      };
    }),
  );
};

const fitted = (
  examples: readonly LearnableAnswer[],
  maxMarks: number,
  constants: GuideConstants,
): { guide: FittedGuide; scale: Required<MarkScale>; lines: Set<number> } => {
  const guide = fitGuide(
    examples.map((answer) => ({
      id: idOf(answer),
      text: answer.text,
      graderShare: answer.machine / maxMarks,
      teacherShare: answer.human / maxMarks,
    })),
    maxMarks,
    constants,
  );
  return { guide, scale: scaleOf(guide.model), lines: new Set(examples.map(({ line }) => line)) };
};
