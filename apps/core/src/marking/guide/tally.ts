import { exact } from '@evaluation/rules';
import * as z from 'zod/v4';
import {
  differenceOf,
  isChange,
  SKIP_REASONS,
  type GuidedResult,
  type SkipReason,
} from '../../guides/guidable.ts';

/** What a pass over the results of an exam does, or would do. */
export const Tally = z.object({
  /** Number of results that the pass has read. */
  results: z.int(),
  /** Results whose mark, confidence or flags change. */
  written: z.int(),
  /** Results whose marks change. */
  changed: z.int(),
  raised: z.int(),
  lowered: z.int(),
  /** Sum of all differences, in marks. */
  difference: z.number(),
  /** Largest difference of one result, in marks. */
  largest: z.number(),
  /** Marks that pass without review, and those of them that are audited. */
  passing: z.int(),
  audited: z.int(),
  /** Guides ask no model. */
  credits: z.literal(0),
  /** Results that stay as they are, by reason. */
  skipped: z.partialRecord(z.enum(SKIP_REASONS), z.int()),
});
export type Tally = z.infer<typeof Tally>;

export const NO_RESULTS: Tally = {
  results: 0,
  written: 0,
  changed: 0,
  raised: 0,
  lowered: 0,
  difference: 0,
  largest: 0,
  passing: 0,
  audited: 0,
  credits: 0,
  skipped: {},
};

export const countSkipped = (tally: Tally, reason: SkipReason): Tally => ({
  ...tally,
  results: tally.results + 1,
  skipped: { ...tally.skipped, [reason]: (tally.skipped[reason] ?? 0) + 1 },
});

export const countMark = (
  tally: Tally,
  mark: Pick<GuidedResult, 'before' | 'after'> & { passes: boolean; audited: boolean },
): Tally => {
  const difference = differenceOf(mark);
  return {
    ...tally,
    results: tally.results + 1,
    written: tally.written + (isChange(mark) ? 1 : 0),
    changed: tally.changed + (difference === 0 ? 0 : 1),
    raised: tally.raised + (difference > 0 ? 1 : 0),
    lowered: tally.lowered + (difference < 0 ? 1 : 0),
    difference: exact(tally.difference).plus(difference).toNumber(),
    largest: Math.max(tally.largest, Math.abs(difference)),
    passing: tally.passing + (mark.passes ? 1 : 0),
    audited: tally.audited + (mark.audited ? 1 : 0),
  };
};
