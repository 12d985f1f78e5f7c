import * as z from 'zod/v4';
import { MARK_STEP, steppedMarks } from './markStep.ts';
import { longText, requiredShortText, uuid } from './primitives.ts';

/** Id of the reviewer in the client's system. */
const reviewer = requiredShortText(128);

/** See docs/api/review.md. Field names: open point `override-fields`. */
export const MarkOverride = z
  .strictObject({
    reviewer,
    awarded: steppedMarks(z.number()).meta({
      multipleOf: MARK_STEP,
      description: 'From 0, or minus the negative marks, to the marks of the question.',
    }),
    reason: longText(2000).nullish(),
  })
  .meta({
    id: 'MarkOverride',
    description: "A teacher's mark for one question, which the AI's gives way to.",
  });
export type MarkOverride = z.infer<typeof MarkOverride>;

/** See docs/api/review.md. Open point `approve-body`. */
export const Approve = z.object({ reviewer: reviewer.nullish() }).meta({ id: 'Approve' });
export type Approve = z.infer<typeof Approve>;

/** See docs/api/review.md. */
export const Unfinalize = z
  .object({
    reason: longText(2000).refine((value) => value.trim() !== '', {
      error: 'Cannot be empty.',
      params: { code: 'required' },
    }),
  })
  .meta({ id: 'Unfinalize' });
export type Unfinalize = z.infer<typeof Unfinalize>;

/** Maximum number of submissions in one call: several times the candidates of a call. */
export const MAX_FINALIZED_AT_ONCE = 10_000;

/** See docs/api/review.md#finalize. Core checks that exactly one of the first two fields is sent. */
export const Finalize = z
  .object({
    submission_ids: z.array(uuid).min(1).max(MAX_FINALIZED_AT_ONCE).nullish(),
    all_graded: z.literal(true).nullish(),
    allow_partial: z
      .boolean()
      .nullish()
      .meta({ description: 'Also partially graded and failed copies. Default false.' }),
  })
  .meta({ id: 'Finalize' });
export type Finalize = z.infer<typeof Finalize>;

/** See docs/api/review.md#finalize. `skipped` is filled only if the call named submissions. */
export const Finalized = z
  .object({
    skipped: z.array(
      z
        .object({
          submission_id: uuid.optional(),
          reason: z.string().meta({ description: 'Such as `not_graded`, `already_finalized`, `not_live`.' }),
        })
        .meta({ id: 'Skipped' }),
    ),
  })
  .meta({ id: 'Finalized' });
export type Finalized = z.infer<typeof Finalized>;
