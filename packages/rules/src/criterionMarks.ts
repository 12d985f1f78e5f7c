import { Decimal } from 'decimal.js';
import { roundToAllowedMark } from './marks/rounding.ts';

export interface RoundedAwards {
  /** One for each criterion asked for, in order. */
  criteria: { name: string; max: number; awarded: number }[];
  /** Their exact sum. */
  awarded: number;
  /** What had to be put right, in words fit for a log: numbers only, nothing of the answer. */
  problems: string[];
}

/**
 * Turns the marks a grader proposed into marks that stand (docs/architecture.md#marks-and-credits: arithmetic is code's).
 * `number` counts criteria from 1. Each award is rounded by `roundToAllowedMark`. Where partial marking is off, less than full marks
 * is 0. An award missing counts 0, of several for one criterion the first counts, an unknown number counts nowhere: each
 * is told as a problem.
 */
export function roundAwards(
  criteria: { name: string; marks: number }[],
  awards: { number: number; awarded: number }[],
  { partial = true }: { partial?: boolean } = {},
): RoundedAwards {
  const problems: string[] = [];
  const proposed = new Map<number, number>();
  for (const { number, awarded } of awards) {
    if (!Number.isInteger(number) || number < 1 || number > criteria.length) {
      problems.push(`criterion ${number} does not exist`);
    } else if (proposed.has(number)) {
      problems.push(`criterion ${number} was awarded twice`);
    } else {
      proposed.set(number, awarded);
    }
  }
  const settled = criteria.map(({ name, marks }, index) => {
    const number = index + 1;
    const award = proposed.get(number);
    if (award === undefined) {
      problems.push(`criterion ${number} was not awarded`);
      return { name, max: marks, awarded: 0 };
    }
    const stepped = roundToAllowedMark(award, marks);
    // By what was proposed: the half step nearest to less than full marks may be full marks.
    const awarded = partial || award >= marks ? stepped : 0;
    if (awarded !== award) problems.push(`criterion ${number}: ${award} of ${marks} became ${awarded}`);
    return { name, max: marks, awarded };
  });
  const sum = settled.reduce((total, criterion) => total.plus(criterion.awarded), new Decimal(0));
  return { criteria: settled, awarded: sum.toNumber(), problems };
}
