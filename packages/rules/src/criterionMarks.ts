import { addUp } from './marks/exact.ts';
import { roundToAllowedMark } from './marks/rounding.ts';

interface RoundedAwards {
  /** One entry for each requested criterion, in order. */
  criteria: { name: string; max: number; awarded: number }[];
  awarded: number;
  /** Corrected faults of the proposal, fit for a log: they contain numbers only and no text of the answer. */
  problems: string[];
}

/**
 * Turns the marks that a grader proposed into allowed marks, by `roundToAllowedMark`. `number` counts criteria from 1.
 * Without partial marking, any award below full marks counts 0. A missing award counts 0, the first of several awards
 * for one criterion counts, and an unknown number is dropped; each of these is a problem.
 */
export const roundAwards = (
  criteria: { name: string; marks: number }[],
  awards: { number: number; awarded: number }[],
  { partial = true }: { partial?: boolean } = {},
): RoundedAwards => {
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
  const rounded = criteria.map(({ name, marks }, index) => {
    const number = index + 1;
    const award = proposed.get(number);
    if (award === undefined) {
      problems.push(`criterion ${number} was not awarded`);
      return { name, max: marks, awarded: 0 };
    }
    const stepped = roundToAllowedMark(award, marks);
    // Compare the proposal, because rounding may turn an award below full marks into full marks.
    const awarded = partial || award >= marks ? stepped : 0;
    if (awarded !== award) problems.push(`criterion ${number}: ${award} of ${marks} became ${awarded}`);
    return { name, max: marks, awarded };
  });
  return { criteria: rounded, awarded: addUp(rounded.map(({ awarded }) => awarded)), problems };
};
