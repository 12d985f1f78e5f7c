import type * as z from 'zod/v4';

/** Marks of questions, and those that a teacher or a model gives, are multiples of this. */
export const MARK_STEP = 0.5;

export const isOnMarkStep = (marks: number): boolean => Number.isInteger(marks / MARK_STEP);

/** Marks in whole steps. JSON Schema says it by `multipleOf: MARK_STEP`, which each field adds to its own `meta`. */
export const steppedMarks = (marks: z.ZodNumber): z.ZodNumber =>
  marks.refine(isOnMarkStep, {
    error: `Marks go in steps of ${MARK_STEP}.`,
    params: { code: 'invalid_step' },
  });
