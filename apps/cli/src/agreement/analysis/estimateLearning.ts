import { quadraticWeightedKappa, standardizedDifference } from '@evaluation/rules';
import { bootstrap, type Estimate } from '../statistics/bootstrap.ts';
import { randomFrom } from '../statistics/random.ts';

/** An answer after one draw. Marks are shares of the max marks. */
export interface LearnedAnswer {
  line: number;
  questionId: string;
  human: number;
  /** The teacher's mark if the teacher marked it, else the guide's. */
  machine: number;
  isMarked: boolean;
  /** Whether the mark passes without review. */
  passes: boolean;
  /** Whether both marks lie within one mark step. */
  agreed: boolean;
}

/**
 * Pools draws. The bootstrap resamples answers, each with all its draws. If it resampled single draws, the interval
 * would be too narrow, because all draws are made from the same answers.
 */
export const estimateLearning = (
  answers: readonly { line: number; questionId: string }[],
  draws: readonly (readonly LearnedAnswer[])[],
  target: number,
  name: string,
) => {
  const pooled = draws.flat();
  const rest = pooled.filter(({ isMarked }) => !isMarked);
  const passed = rest.filter(({ passes }) => passes);
  return {
    rest: {
      n: Math.round(rest.length / Math.max(draws.length, 1)),
      qwk: kappaWithInterval(answers, rest, `${name}, rest`),
      smd: standardizedDifference(
        rest.map(({ human }) => human),
        rest.map(({ machine }) => machine),
      ),
      meanOfQuestions: meanKappa(rest),
    },
    class: { qwk: kappaWithInterval(answers, pooled, `${name}, class`) },
    passed: {
      target,
      share: rest.length === 0 ? 0 : passed.length / rest.length,
      agreement: passed.length === 0 ? null : passed.filter(({ agreed }) => agreed).length / passed.length,
    },
  };
};

const kappaWithInterval = (
  answers: readonly { line: number; questionId: string }[],
  learned: readonly LearnedAnswer[],
  name: string,
): Estimate => {
  const byLine = Map.groupBy(learned, ({ line }) => line);
  const strata = [...Map.groupBy(answers, ({ questionId }) => questionId).values()].map((question) =>
    question.flatMap(({ line }) => {
      const own = byLine.get(line);
      return own === undefined ? [] : [own];
    }),
  );
  const kappaOf = (groups: readonly (readonly LearnedAnswer[])[]) => {
    const all = groups.flat();
    return {
      qwk: quadraticWeightedKappa(
        all.map(({ human }) => human),
        all.map(({ machine }) => machine),
      ),
    };
  };
  return bootstrap(strata, kappaOf, randomFrom(name)).qwk;
};

/** Mean of the kappas of the questions that have one. */
const meanKappa = (learned: readonly LearnedAnswer[]): number | null => {
  const kappas = [...Map.groupBy(learned, ({ questionId }) => questionId).values()].flatMap(
    (own) =>
      quadraticWeightedKappa(
        own.map(({ human }) => human),
        own.map(({ machine }) => machine),
      ) ?? [],
  );
  return kappas.length === 0 ? null : kappas.reduce((sum, kappa) => sum + kappa, 0) / kappas.length;
};
