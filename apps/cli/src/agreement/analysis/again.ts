import { bootstrap, type Estimate } from '../statistics/bootstrap.ts';
import { randomFrom } from '../statistics/random.ts';
import type { Outcome } from '../grading/run.ts';
import { PERTURBATIONS, type Perturbation } from '../grading/perturbations.ts';

interface Consistency {
  answers: number;
  /** Largest number of judgements of one answer. */
  judgements: number;
  unchanged: Estimate;
  /** Mean over answers of highest − lowest marks. */
  meanRange: Estimate;
  largestRange: number;
}

export const consistencyOf = (outcomes: readonly Outcome[]): Consistency | null => {
  const repeated = new Set(
    outcomes.flatMap(({ kind, facts, result }) => (kind === 'repeat' && result !== null ? [facts.line] : [])),
  );
  const marks = new Map<number, number[]>();
  for (const { kind, facts, result } of outcomes) {
    if (result === null || !repeated.has(facts.line) || (kind !== 'first' && kind !== 'repeat')) continue;
    marks.set(facts.line, [...(marks.get(facts.line) ?? []), result.awarded]);
  }
  const several = [...marks.values()].filter(({ length }) => length > 1);
  if (several.length === 0) return null;
  const ranges = several.map((each) => Math.max(...each) - Math.min(...each));
  return {
    answers: several.length,
    judgements: Math.max(...several.map(({ length }) => length)),
    ...bootstrap(
      [ranges],
      (sample) => ({
        unchanged: sample.filter((range) => range === 0).length / sample.length,
        meanRange: sample.reduce((sum, range) => sum + range, 0) / sample.length,
      }),
      randomFrom('repeats'),
    ),
    largestRange: Math.max(...ranges),
  };
};

export interface PerturbationEffect {
  perturbation: Perturbation;
  answers: number;
  /** Mean of marks after − before. */
  meanShift: Estimate;
  meanShiftShare: Estimate;
  /** Shares of the answers whose marks changed, rose, fell. */
  moved: Estimate;
  raised: number;
  lowered: number;
  /** Share of answers with a review reason that the unchanged answer lacks. */
  flagged: number;
}

export const perturbationEffects = (outcomes: readonly Outcome[]): PerturbationEffect[] => {
  const before = new Map(
    outcomes.flatMap(({ kind, facts, result }) =>
      kind === 'first' && result !== null ? [[facts.line, result]] : [],
    ),
  );
  return PERTURBATIONS.flatMap((perturbation) => {
    const shifts = outcomes.flatMap(({ kind, facts, result }) => {
      const base = before.get(facts.line);
      if (kind !== perturbation || result === null || base === undefined) return [];
      const shift = result.awarded - base.awarded;
      const flagged = result.review_reasons.some((reason) => !base.review_reasons.includes(reason));
      return [{ shift, share: shift / facts.maxMarks, flagged }];
    });
    if (shifts.length === 0) return [];
    const share = (holds: (each: (typeof shifts)[number]) => boolean): number =>
      shifts.filter(holds).length / shifts.length;
    return [
      {
        perturbation,
        answers: shifts.length,
        ...bootstrap(
          [shifts],
          (sample) => ({
            meanShift: sample.reduce((sum, { shift }) => sum + shift, 0) / sample.length,
            meanShiftShare: sample.reduce((sum, each) => sum + each.share, 0) / sample.length,
            moved: sample.filter(({ shift }) => shift !== 0).length / sample.length,
          }),
          randomFrom(perturbation),
        ),
        raised: share(({ shift }) => shift > 0),
        lowered: share(({ shift }) => shift < 0),
        flagged: share(({ flagged }) => flagged),
      },
    ];
  });
};
