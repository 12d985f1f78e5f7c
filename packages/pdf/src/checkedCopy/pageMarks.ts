import {
  COLUMN_SHARE,
  COMMENT_LEADING,
  crossIn,
  layOutPage,
  ringIn,
  shapesOf,
  tickIn,
  unitOf,
  type Area,
  type DrawnInk,
  type Note,
  type Placed,
} from '@evaluation/rules/marked-page';
import type { Canvas, Colour } from './canvas.ts';
import type { Lettering } from './lettering.ts';

export const RED: Colour = [0.8, 0.07, 0.1];
/** Colour of comments: darker than `RED`, so that text of 7 points is readable. */
const NOTE_RED: Colour = [0.68, 0.04, 0.08];
const MISSING: Colour = [0.6, 0.6, 0.63];
const NOT_DRAWN = 'This page, or a part of it, could not be drawn. Look at the original copy.';
const RULE: Colour = [0.82, 0.82, 0.85];

/**
 * Draws the marks of one page: ticks, crosses and the teacher's ink on the page, and the total, marks and comments in
 * the column beside it. Sizes follow the page's short side, so that pages stored in a huge or tiny size look the same.
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
  const unit = unitOf(page);
  const layout = layOutPage(page, annotations, total !== null, letters);
  canvas.rectangle({ x: page.width, y: 0, width: 0.6 * unit, height: page.height }, RULE);
  if (total !== null && layout.total !== null) drawTotal(canvas, total, layout.total, letters, unit);
  for (const note of layout.notes) drawNote(canvas, note, letters, unit);
  const strokes = layout.strokes.flatMap(({ kind, area }) =>
    kind === 'tick' ? tickIn(area, 2 * unit) : crossIn(area, 2 * unit),
  );
  for (const shape of [...strokes, ...ink.flatMap((each) => shapesOf(each, page))])
    canvas.shape(shape, RED, letters.regular);
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

const drawTotal = (
  canvas: Canvas,
  { awarded, max }: { awarded: string; max: string },
  area: Area,
  { bold }: Lettering,
  unit: number,
): void => {
  const [x, y] = [area.x + area.width / 2, area.y + area.height / 2];
  const radius = area.width / 2 - unit;
  const ring = { x: x - radius, y: y - radius, width: radius * 2, height: radius * 2 };
  for (const shape of ringIn(ring, 1.6 * unit)) canvas.shape(shape, RED, bold);
  canvas.line(
    [
      [x - radius * 0.68, y],
      [x + radius * 0.68, y],
    ],
    1.2 * unit,
    RED,
  );
  const write = (text: string, baseline: number) => {
    const size = Math.min(15 * unit, (radius * 1.4) / bold.width(text, 1));
    canvas.text(text, [x - bold.width(text, size) / 2, baseline], bold, size, RED);
  };
  write(awarded, y - 4.5 * unit);
  write(max, y + 14.5 * unit);
};

const drawNote = (
  canvas: Canvas,
  { kind, area, lines, size, leader }: Note,
  { regular, bold }: Lettering,
  unit: number,
): void => {
  canvas.line(leader, 0.45 * unit, NOTE_RED);
  const x = area.x + 4 * unit;
  if (kind === 'mark') {
    const [text = ''] = lines;
    const underline = area.y + area.height * 0.92;
    canvas.text(text, [x, area.y + area.height * 0.72], bold, size, RED);
    canvas.line(
      [
        [x, underline],
        [x + bold.width(text, size), underline],
      ],
      1.1 * unit,
      RED,
    );
    return;
  }
  canvas.rectangle({ x: area.x, y: area.y, width: 1.3 * unit, height: area.height }, RED);
  for (const [index, line] of lines.entries()) {
    const baseline = area.y + 2 * unit + index * size * COMMENT_LEADING + size * 0.95;
    canvas.text(line, [x, baseline], regular, size, NOTE_RED);
  }
};
