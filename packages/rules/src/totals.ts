import { exact, sum } from './marks/exact.ts';

interface Totals {
  awarded: number;
  max: number;
  percentage: number | null;
  questions_graded: number;
  questions_failed: number;
}

/**
 * Adds up the marks of a paper (docs/api/results.md#fields). The total may be negative; the percentage has 2 decimals.
 */
export const totalsOf = (
  questions: readonly { status: string; counted: boolean; awarded: number | null; max: number }[],
): Totals => {
  const counted = questions.filter((question) => question.counted);
  const awarded = sum(counted.map((question) => question.awarded ?? 0));
  const max = sum(counted.map((question) => question.max));
  return {
    awarded: awarded.toNumber(),
    max: max.toNumber(),
    percentage: max.isZero() ? null : exact(awarded).dividedBy(max).times(100).toDecimalPlaces(2).toNumber(),
    questions_graded: questions.filter(({ status }) => status === 'graded').length,
    questions_failed: questions.filter(({ status }) => status === 'failed').length,
  };
};
