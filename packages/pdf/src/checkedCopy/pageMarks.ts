import type { Annotation } from '../types.ts';
import type { Area, Canvas, Colour } from './canvas.ts';
import type { InkShare } from './freeSpace.ts';
import { cut } from './lettering.ts';
import type { Lettering } from './lettering.ts';

/** Red ink, the examiner's. */
export const red: Colour = [0.8, 0.07, 0.1];
/** Small text in the same hand, darker so that it reads at 7 points. */
const noteRed: Colour = [0.68, 0.04, 0.08];
const white: Colour = [1, 1, 1];

/** Everything here is bounded, since annotations come from a model: more than these are not drawn on one page. */
const mostStrokes = 300;
const mostMarks = 120;
const mostComments = 40;
const commentCharacters = 600;
const commentLines = 9;

/** An annotation with its box in fractions of the viewed page. */
export type Placed = Pick<Annotation, 'kind' | 'text' | 'box'>;

/**
 * Marks one page as an examiner does: ticks and crosses at the end of what they judge, marks in the right margin at the
 * height of their answer, comments where the paper near the answer is empty. Sizes follow the page's short side, so a
 * scan stored as a huge or tiny page looks the same.
 */
export function markPage(
  canvas: Canvas,
  annotations: readonly Placed[],
  total: { awarded: string; max: string } | null,
  letters: Lettering,
  ink: InkShare,
): void {
  const unit = Math.min(canvas.width, canvas.height) / 595;
  const taken: Area[] = total === null ? [] : [drawTotal(canvas, total, letters, unit)];
  const areas = annotations
    .filter(({ box }) => Number.isFinite(box.x + box.y + box.width + box.height))
    .map(({ kind, text, box }) => ({ kind, text, area: onPage(box, canvas) }));
  const of = (kind: Placed['kind'], most: number) =>
    areas.filter((each) => each.kind === kind).slice(0, most);

  const marks = of('mark', mostMarks);
  const top = total === null ? 6 * unit : totalCentre * 2 * unit;
  const margin = drawMarks(canvas, marks, letters, unit, top, taken);
  for (const kind of ['tick', 'cross'] as const) {
    for (const { area } of of(kind, mostStrokes)) drawStroke(canvas, kind, area, margin, unit, taken);
  }
  for (const { text, area } of of('comment', mostComments)) {
    drawComment(canvas, text, area, margin, letters, unit, taken, ink);
  }
}

/** The total in a circle at the top right, over a line the paper's maximum. Returns the area it takes. */
function drawTotal(
  canvas: Canvas,
  { awarded, max }: { awarded: string; max: string },
  { bold }: Lettering,
  unit: number,
): Area {
  const [x, y] = [canvas.width - totalCentre * unit, totalCentre * unit];
  const radius = totalRadius * unit;
  canvas.circle([x, y], radius, 1.6 * unit, red, 0.85);
  canvas.line(
    [
      [x - radius * 0.68, y],
      [x + radius * 0.68, y],
    ],
    1.2 * unit,
    red,
  );
  const write = (text: string, baseline: number) => {
    const size = Math.min(15 * unit, (radius * 1.4) / bold.width(text, 1));
    canvas.text(text, [x - bold.width(text, size) / 2, baseline], bold, size, red);
  };
  write(awarded, y - 4.5 * unit);
  write(max, y + 14.5 * unit);
  return { x: x - radius, y: y - radius, width: radius * 2, height: radius * 2 };
}

const totalRadius = 25;
const totalCentre = 36;

function onPage(box: Placed['box'], page: { width: number; height: number }): Area {
  const clamp = (value: number) => Math.max(0, Math.min(1, value));
  const [left, right] = [clamp(box.x), clamp(box.x + Math.max(0, box.width))];
  const [top, bottom] = [clamp(box.y), clamp(box.y + Math.max(0, box.height))];
  return {
    x: left * page.width,
    y: top * page.height,
    width: (right - left) * page.width,
    height: (bottom - top) * page.height,
  };
}

/** Draws the marks and returns the x where their column begins; the page's edge when there are none. */
function drawMarks(
  canvas: Canvas,
  marks: readonly { text: string; area: Area }[],
  { bold }: Lettering,
  unit: number,
  top: number,
  taken: Area[],
): number {
  const edge = canvas.width - 7 * unit;
  if (marks.length === 0) return edge;
  const size = 11 * unit;
  const [height, gap, padding] = [17 * unit, 4 * unit, 5 * unit];
  const items = marks
    .map(({ text, area }) => {
      const shown = bold.shorten(text, size, 150 * unit);
      return {
        shown,
        width: bold.width(shown, size) + padding * 2,
        wanted: area.y + area.height / 2 - height / 2,
      };
    })
    .sort((a, b) => a.wanted - b.wanted);
  const bottom = canvas.height - 6 * unit;
  const perColumn = Math.max(1, Math.floor((bottom - top + gap) / (height + gap)));
  let left = edge;
  for (let start = 0; start < items.length; start += perColumn) {
    const column = items.slice(start, start + perColumn);
    const ys = spread(
      column.map(({ wanted }) => wanted),
      height + gap,
      top,
      bottom - height,
    );
    const right = left;
    for (const [index, { shown, width }] of column.entries()) {
      const y = ys[index] ?? top;
      const area = { x: right - width, y, width, height };
      canvas.rectangle(area, white, 0.82);
      canvas.text(shown, [area.x + padding, y + height * 0.72], bold, size, red);
      canvas.line(
        [
          [area.x + padding * 0.6, y + height - 1.2 * unit],
          [right - padding * 0.6, y + height - 1.2 * unit],
        ],
        1.1 * unit,
        red,
      );
      taken.push(area);
      left = Math.min(left, area.x - 4 * unit);
    }
  }
  return left;
}

/** Sorted positions moved down, and at the end up again, until neighbours are `step` apart and all are inside. */
export function spread(wanted: readonly number[], step: number, first: number, last: number): number[] {
  const placed: number[] = [];
  for (const each of wanted) placed.push(Math.max(each, first, (placed.at(-1) ?? -Infinity) + step));
  let limit = last;
  for (let index = placed.length - 1; index >= 0; index--) {
    placed[index] = Math.min(placed[index]!, limit);
    limit = placed[index]! - step;
  }
  return placed;
}

function drawStroke(
  canvas: Canvas,
  kind: 'tick' | 'cross',
  area: Area,
  margin: number,
  unit: number,
  taken: Area[],
): void {
  const size = 17 * unit;
  const spot = {
    x: Math.max(2 * unit, Math.min(area.x + area.width + 2 * unit, margin - size)),
    y: Math.max(2 * unit, Math.min(area.y + area.height / 2 - size / 2, canvas.height - size - 2 * unit)),
    width: size,
    height: size,
  };
  // Several on one answer stand side by side.
  for (let tries = 0; tries < 12 && taken.some((each) => overlap(each, spot) > 0); tries++) {
    if (spot.x - size > 0) spot.x -= size;
    else break;
  }
  taken.push({ ...spot });
  const at = (x: number, y: number): readonly [number, number] => [spot.x + x * size, spot.y + y * size];
  const pen = 2 * unit;
  if (kind === 'tick') {
    canvas.curve(
      at(0.04, 0.56),
      [
        [at(0.14, 0.64), at(0.24, 0.8), at(0.31, 0.94)],
        [at(0.42, 0.62), at(0.66, 0.24), at(0.98, 0.04)],
      ],
      pen,
      red,
    );
  } else {
    canvas.curve(at(0.12, 0.14), [[at(0.36, 0.36), at(0.62, 0.62), at(0.88, 0.9)]], pen, red);
    canvas.curve(at(0.9, 0.1), [[at(0.64, 0.34), at(0.36, 0.64), at(0.1, 0.88)]], pen, red);
  }
}

function drawComment(
  canvas: Canvas,
  text: string,
  area: Area,
  margin: number,
  { regular }: Lettering,
  unit: number,
  taken: Area[],
  ink: InkShare,
): void {
  const size = 7.6 * unit;
  const leading = size * 1.28;
  const padding = 3.5 * unit;
  const gap = 3 * unit;
  const right = margin - gap;
  let best: { spot: Area; lines: string[]; cost: number } | null = null;
  for (const width of [165 * unit, 250 * unit]) {
    const lines = regular.wrap(cut(text, commentCharacters), size, width - padding * 2 - unit, commentLines);
    if (lines.length === 0) return;
    const widest = Math.max(...lines.map((line) => regular.width(line, size)));
    const spotSize = { width: widest + padding * 2 + unit, height: lines.length * leading + padding * 1.4 };
    for (const spot of spotsNear(area, spotSize, right, canvas, gap)) {
      const covered = taken.reduce((sum, each) => sum + overlap(each, spot), 0);
      const away = distance(area, spot) / unit;
      const cost = covered * 100 + (ink(spot) * spot.width * spot.height * 1.6) / unit + away * unit * 6;
      if (best === null || cost < best.cost) best = { spot, lines, cost };
    }
  }
  if (best === null) return;
  const { spot, lines } = best;
  taken.push(spot);
  canvas.rectangle(spot, white, 0.85);
  canvas.rectangle({ x: spot.x, y: spot.y, width: 1.3 * unit, height: spot.height }, red);
  for (const [index, line] of lines.entries()) {
    const baseline = spot.y + padding * 0.7 + index * leading + size * 0.95;
    canvas.text(line, [spot.x + padding + unit, baseline], regular, size, noteRed);
  }
}

/** Places beside, under and above an answer, nearest first. */
function* spotsNear(
  area: Area,
  { width, height }: { width: number; height: number },
  right: number,
  page: { width: number; height: number },
  gap: number,
): Generator<Area> {
  const xs = [
    area.x + area.width + gap,
    right - width,
    area.x + area.width - width,
    area.x,
    gap,
    area.x - gap - width,
  ];
  const ys = [area.y + area.height + gap, area.y, area.y - gap - height];
  for (let further = 1; further <= 16; further++) {
    ys.push(area.y + area.height + gap * (1 + further * 2), area.y - height - gap * (1 + further * 2));
  }
  for (const y of ys) {
    for (const x of xs) {
      yield {
        x: Math.max(gap, Math.min(x, right - width)),
        y: Math.max(gap, Math.min(y, page.height - height - gap)),
        width,
        height,
      };
    }
  }
}

function overlap(a: Area, b: Area): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return width > 0 && height > 0 ? width * height : 0;
}

function distance(a: Area, b: Area): number {
  const dx = Math.max(0, a.x - (b.x + b.width), b.x - (a.x + a.width));
  const dy = Math.max(0, a.y - (b.y + b.height), b.y - (a.y + a.height));
  return Math.hypot(dx, dy);
}
