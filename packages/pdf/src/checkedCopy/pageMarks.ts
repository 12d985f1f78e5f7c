import type { Area, Canvas, Colour } from './canvas.ts';
import { COMMENT_LEADING, COMMENT_PADDING } from './comments.ts';
import type { PlacedComment } from './comments.ts';
import type { InkShare } from './freeSpace.ts';
import type { Lettering } from './lettering.ts';
import type { PlacedMark } from './marginMarks.ts';
import { layOutPage } from './pageLayout.ts';
import type { Placed, PlacedStroke } from './pageLayout.ts';

export const RED: Colour = [0.8, 0.07, 0.1];
/** Colour of comments: darker than `RED`, so that text of 7 points is readable. */
const NOTE_RED: Colour = [0.68, 0.04, 0.08];
const WHITE: Colour = [1, 1, 1];
/** Opacity of the white behind letters: letters on ruled paper are readable, and so is writing under them. */
const VEIL = 0.5;

/**
 * Draws the marks of one page: ticks and crosses at the end of their answers, marks in the margin, comments on empty
 * paper near the answer. Sizes follow the page's short side, so that pages stored in a huge or tiny size look the
 * same. `ink` is null when the page has no readable image.
 */
export const markPage = (
  canvas: Canvas,
  annotations: readonly Placed[],
  total: { awarded: string; max: string } | null,
  letters: Lettering,
  ink: InkShare | null,
): void => {
  const unit = Math.min(canvas.width, canvas.height) / 595;
  const layout = layOutPage(canvas, annotations, total !== null, letters, ink);
  if (total !== null && layout.total !== null) drawTotal(canvas, total, layout.total, letters, unit);
  // Leaders are drawn first, so that a comment stays legible where a leader passes under it.
  for (const { leader } of layout.comments) {
    if (leader !== null) canvas.line(leader, 0.45 * unit, NOTE_RED);
  }
  for (const mark of layout.marks) drawMark(canvas, mark, letters, unit);
  for (const stroke of layout.strokes) drawStroke(canvas, stroke, unit);
  for (const comment of layout.comments) drawComment(canvas, comment, letters, unit);
};

const drawTotal = (
  canvas: Canvas,
  { awarded, max }: { awarded: string; max: string },
  area: Area,
  { bold }: Lettering,
  unit: number,
): void => {
  const [x, y] = [area.x + area.width / 2, area.y + area.height / 2];
  const radius = area.width / 2 - unit;
  canvas.circle([x, y], radius, 1.6 * unit, RED, VEIL);
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

const drawMark = (
  canvas: Canvas,
  { area, text, size }: PlacedMark,
  { bold }: Lettering,
  unit: number,
): void => {
  const inset = (area.width - bold.width(text, size)) / 2;
  const underline = area.y + area.height - 1.2 * unit;
  canvas.rectangle(area, WHITE, VEIL);
  canvas.text(text, [area.x + inset, area.y + area.height * 0.72], bold, size, RED);
  canvas.line(
    [
      [area.x + inset * 0.6, underline],
      [area.x + area.width - inset * 0.6, underline],
    ],
    1.1 * unit,
    RED,
  );
};

const drawStroke = (canvas: Canvas, { kind, area }: PlacedStroke, unit: number): void => {
  const at = (x: number, y: number): readonly [number, number] => [
    area.x + x * area.width,
    area.y + y * area.height,
  ];
  const pen = 2 * unit;
  if (kind === 'tick') {
    canvas.curve(
      at(0.04, 0.56),
      [
        [at(0.14, 0.64), at(0.24, 0.8), at(0.31, 0.94)],
        [at(0.42, 0.62), at(0.66, 0.24), at(0.98, 0.04)],
      ],
      pen,
      RED,
    );
  } else {
    canvas.curve(at(0.12, 0.14), [[at(0.36, 0.36), at(0.62, 0.62), at(0.88, 0.9)]], pen, RED);
    canvas.curve(at(0.9, 0.1), [[at(0.64, 0.34), at(0.36, 0.64), at(0.1, 0.88)]], pen, RED);
  }
};

const drawComment = (
  canvas: Canvas,
  { area, lines, size }: PlacedComment,
  { regular }: Lettering,
  unit: number,
): void => {
  const padding = COMMENT_PADDING * unit;
  canvas.rectangle(area, WHITE, VEIL);
  canvas.rectangle({ x: area.x, y: area.y, width: 1.3 * unit, height: area.height }, RED);
  for (const [index, line] of lines.entries()) {
    const baseline = area.y + padding * 0.7 + index * size * COMMENT_LEADING + size * 0.95;
    canvas.text(line, [area.x + padding + unit, baseline], regular, size, NOTE_RED);
  }
};
