import {
  COLUMN_SHARE,
  shapesOf,
  sheetShapes,
  unitOf,
  type DrawnInk,
  type Placed,
} from '@evaluation/rules/marked-page';
import type { Canvas, Colour } from './canvas.ts';
import type { Lettering } from './lettering.ts';

export const RED: Colour = [0.8, 0.07, 0.1];
/** Darker than `RED`, so that remarks of 7 points are readable. */
const REMARK_RED: Colour = [0.68, 0.04, 0.08];
const MISSING: Colour = [0.6, 0.6, 0.63];
const NOT_DRAWN = 'This page, or a part of it, could not be drawn. Look at the original copy.';
const RULE: Colour = [0.82, 0.82, 0.85];

/**
 * Draws the marks of one page: ticks, crosses and the teacher's ink on the page, and the total, marks and remarks in
 * the column beside it.
 * @param page its size; the canvas is wider by the column
 */
export const markPage = (
  canvas: Canvas,
  page: { width: number; height: number },
  annotations: readonly Placed[],
  ink: readonly DrawnInk[],
  total: { awarded: string; max: string } | null,
  letters: Lettering,
): void => {
  canvas.rectangle({ x: page.width, y: 0, width: 0.6 * unitOf(page), height: page.height }, RULE);
  for (const { shape, tone } of sheetShapes(page, annotations, total, letters))
    canvas.shape(shape, tone === 'mark' ? RED : REMARK_RED, letters);
  for (const shape of ink.flatMap((each) => shapesOf(each, page, letters))) canvas.shape(shape, RED, letters);
};

/**
 * Crosses the page out with thin grey lines, so that it is not taken for empty paper.
 * @returns the comment that says why
 */
export const markNotDrawn = (canvas: Canvas, page: { width: number; height: number }): Placed => {
  const { width, height } = page;
  const pen = unitOf(page);
  canvas.line(
    [
      [0, 0],
      [width, height],
    ],
    pen,
    MISSING,
  );
  canvas.line(
    [
      [0, height],
      [width, 0],
    ],
    pen,
    MISSING,
  );
  return { kind: 'comment', text: NOT_DRAWN, box: { x: 0.9, y: 0.1, width: 0.1, height: 0.02 } };
};

/** Width of the sheet for a page of this width. */
export const sheetWidth = (page: number): number => page * (1 + COLUMN_SHARE);
