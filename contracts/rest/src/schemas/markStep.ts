import type * as z from 'zod/v4';

/** Marks of questions, and those given by a teacher or a model, are multiples of this. */
export const MARK_STEP = 0.5;

export const isOnMarkStep = (marks: number): boolean => Number.isInteger(marks / MARK_STEP);

/** Marks in whole steps. Each field also adds `multipleOf: MARK_STEP` to its `meta` for JSON Schema. */
export const steppedMarks = (marks: z.ZodNumber): z.ZodNumber =>
  marks.refine(isOnMarkStep, {
    error: `Marks go in steps of ${MARK_STEP}.`,
    params: { code: 'invalid_step' },
  });
