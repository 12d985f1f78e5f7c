import { exact } from '@evaluation/rules';
import * as z from 'zod/v4';
import { isChange, SKIP_REASONS, type GuidedResult, type SkipReason } from '../../guides/guidable.ts';

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

/** What a pass does with a result: a new mark, or why it stays. */
export type Outcome = Pick<GuidedResult, 'before' | 'after' | 'passes' | 'audited'> | SkipReason;

export const counted = (tally: Tally, outcome: Outcome): Tally => {
  const results = tally.results + 1;
  if (typeof outcome === 'string') {
    return { ...tally, results, skipped: { ...tally.skipped, [outcome]: (tally.skipped[outcome] ?? 0) + 1 } };
  }
  const { before, after, passes, audited } = outcome;
  const difference = exact(after.awarded).minus(before.awarded).toNumber();
  return {
    ...tally,
    results,
    written: tally.written + Number(isChange(outcome)),
    changed: tally.changed + Number(difference !== 0),
    raised: tally.raised + Number(difference > 0),
    lowered: tally.lowered + Number(difference < 0),
    difference: exact(tally.difference).plus(difference).toNumber(),
    largest: Math.max(tally.largest, Math.abs(difference)),
    passing: tally.passing + Number(passes),
    audited: tally.audited + Number(audited),
  };
};
