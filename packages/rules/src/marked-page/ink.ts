import * as z from 'zod/v4';

/*
 * What a teacher draws on a page of a copy. Places are fractions of the viewed page, origin top left, y down, so that
 * the screen and the checked copy draw the same ink at any size.
 */

/** Points of one stroke of the pen. A longer stroke is cut by the page into several. */
export const MOST_INK_POINTS = 400;
export const MOST_INK_LETTERS = 200;
/** Strokes that are shown on one copy. */
export const MOST_INK = 500;

const Fraction = z.number().gte(0).lte(1);
const InkPoint = z.tuple([Fraction, Fraction]);
/** A point with the pressure of the pen, from 0 to 1. */
const PressedPoint = z.tuple([Fraction, Fraction, Fraction]);
const page = z.int().gte(1).lte(10_000);

export const Ink = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['tick', 'cross']), page, at: InkPoint }),
  /** `at` is the left end of the first line, in the middle of its height. */
  z.object({
    kind: z.literal('text'),
    page,
    at: InkPoint,
    text: z.string().trim().min(1).max(MOST_INK_LETTERS),
  }),
  z.object({ kind: z.literal('pen'), page, points: z.array(PressedPoint).min(1).max(MOST_INK_POINTS) }),
  z.object({ kind: z.enum(['underline', 'ring']), page, from: InkPoint, to: InkPoint }),
  /** A line across the whole page, so that nothing can be added to it. */
  z.object({ kind: z.literal('cancel'), page }),
  /** Takes an annotation of the AI off the page. */
  z.object({
    kind: z.literal('removed'),
    page,
    question_id: z.uuid(),
    annotation: z.enum(['tick', 'cross', 'mark', 'comment']),
    at: InkPoint,
  }),
]);
export type Ink = z.infer<typeof Ink>;
export type DrawnInk = Exclude<Ink, { kind: 'removed' }>;

interface Placed {
  page: number;
  kind: 'tick' | 'cross' | 'mark' | 'comment';
  box: { x: number; y: number };
}

const SAME_PLACE = 1e-4;

/** The annotations of a question without those that the teacher has removed. */
export const withoutRemoved = <A extends Placed>(
  questionId: string,
  annotations: readonly A[],
  ink: readonly Ink[],
): A[] => {
  const removed = ink
    .filter((each) => each.kind === 'removed')
    .filter((each) => each.question_id === questionId);
  return annotations.filter(
    ({ page: on, kind, box }) =>
      !removed.some(
        (each) =>
          each.page === on &&
          each.annotation === kind &&
          Math.abs(each.at[0] - box.x) < SAME_PLACE &&
          Math.abs(each.at[1] - box.y) < SAME_PLACE,
      ),
  );
};
