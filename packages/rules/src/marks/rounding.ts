import { MARK_STEP } from '@evaluation/rest-contract/schemas';
import { Decimal } from 'decimal.js';

export { isOnMarkStep, MARK_STEP } from '@evaluation/rest-contract/schemas';

/**
 * Rounds a proposed mark to an allowed one: clamped to 0..`marks`, then the nearest multiple of `MARK_STEP`, ties
 * upwards. `marks` is allowed even if it is not a multiple. NaN gives 0.
 */
export const roundToAllowedMark = (proposed: number, marks: number): number => {
  if (Number.isNaN(proposed)) return 0;
  if (proposed <= 0) return 0;
  if (proposed >= marks) return marks;
  const value = new Decimal(proposed);
  const below = value.dividedBy(MARK_STEP).floor().times(MARK_STEP);
  const above = Decimal.min(below.plus(MARK_STEP), marks);
  return (value.minus(below).lessThan(above.minus(value)) ? below : above).toNumber();
};
