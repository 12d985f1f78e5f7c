import { createHash } from 'node:crypto';
import {
  fitGuide,
  leaveOneOut,
  lowerBoundOf,
  predict,
  scaleOf,
  type ExampleOfVersion,
  type GuideConstants,
  type GuideExample,
} from '@evaluation/guide';
import { isWithin } from '@evaluation/rules';
import { inSlices } from '@evaluation/platform/turns';

/*
 * How well a guide marks, by the number of its examples: for each number, a guide learns from that many examples and
 * marks the others; with all examples, each is marked by the guide of the others. Only examples of the guide are used,
 * so the curve says how well the teacher is predicted on answers like those that the teacher has chosen to mark.
 */

export interface CurvePoint {
  /** Examples that the guide had learned from; 0 is the grader alone. */
  examples: number;
  /** Answers that it marked. */
  n: number;
  /**
   * Share of these answers whose marks agree with the teacher's: within one step, or equal on a question of one mark.
   */
  agreement: number;
  /** Ends of the 95 % interval of the agreement (Clopper–Pearson). */
  low: number;
  high: number;
}

const STEPS = [0, 3, 5, 10, 20, 40, 80, 120, 160] as const;
/** The curve ends where fewer answers than this are left to mark. */
const LEAST_MARKED = 5;
/**
 * Characters that are read of all answers together: 600 of each of 200 answers. Measured: the curve of 200 answers
 * without a common word takes 0.7 to 0.9 s of CPU, with 400 words in common 0.2 s. The longest part between two pauses,
 * the fit of all answers and their marks, takes 0.05 to 0.12 s.
 */
const MOST_CHARACTERS = 120_000;

/** @param texts answers by run; examples without a text are left out */
export const learningCurve = async (
  { examples, constants }: { examples: readonly ExampleOfVersion[]; constants: GuideConstants },
  texts: ReadonlyMap<string, string>,
): Promise<CurvePoint[]> => {
  const [first] = examples;
  if (first === undefined) return [];
  const length = Math.floor(MOST_CHARACTERS / examples.length);
  const drawn = examples
    .flatMap(({ submission_id, run_id, grader, teacher, max }) => {
      const text = texts.get(run_id);
      if (text === undefined) return [];
      return [
        {
          id: submission_id,
          text: text.slice(0, length),
          graderShare: grader / max,
          teacherShare: teacher / max,
          max,
        },
      ];
    })
    // Sorts by a hash: a random order that is the same for each call.
    .map((example) => ({ example, key: createHash('sha256').update(example.id).digest('hex') }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ example }) => example);
  const pause = inSlices();
  const points: CurvePoint[] = [];
  for (const count of STEPS) {
    if (drawn.length - count < LEAST_MARKED) break;
    points.push(
      pointAt(
        count,
        await agreedAfter(drawn.slice(0, count), drawn.slice(count), {
          maxMarks: first.max,
          constants,
          pause,
        }),
      ),
    );
  }
  if (drawn.length >= LEAST_MARKED) {
    const guide = fitGuide(drawn, first.max, constants);
    const scale = scaleOf(guide.model);
    const agreed = leaveOneOut(guide, scale).map(({ marks, teacherShare }) =>
      isWithin(marks, teacherShare * first.max, scale.tolerance),
    );
    points.push(pointAt(drawn.length, agreed));
  }
  return points;
};

const agreedAfter = async (
  learned: readonly GuideExample[],
  others: readonly (GuideExample & { max: number })[],
  { maxMarks, constants, pause }: { maxMarks: number; constants: GuideConstants; pause: () => Promise<void> },
): Promise<boolean[]> => {
  const guide = fitGuide(learned, maxMarks, constants);
  const scale = scaleOf(guide.model);
  const agreed: boolean[] = [];
  for (const answer of others) {
    await pause();
    const { max, graderShare, teacherShare } = answer;
    const given =
      learned.length === 0 ? graderShare * max : predict(guide, answer, { ...scale, maxMarks: max }).marks;
    agreed.push(isWithin(given, teacherShare * max, scale.tolerance));
  }
  return agreed;
};

const pointAt = (examples: number, agreed: readonly boolean[]): CurvePoint => {
  const n = agreed.length;
  const successes = agreed.filter(Boolean).length;
  return {
    examples,
    n,
    agreement: successes / n,
    low: lowerBoundOf(successes, n, 0.975),
    high: 1 - lowerBoundOf(n - successes, n, 0.975),
  };
};
