import type { Area } from './canvas.ts';
import type { Lettering } from './lettering.ts';
import { steps, stepsAround } from './room.ts';
import type { Room } from './room.ts';

export interface PlacedMark {
  area: Area;
  /** Only characters that the font supports. */
  text: string;
  size: number;
}

interface Wanted {
  text: string;
  area: Area;
}

const LETTER_SIZE = 11;
const SMALLER_SIZE = 9;
const PADDING = 5 / LETTER_SIZE;
const LINE_HEIGHT = 17 / LETTER_SIZE;

/** Largest vertical distance of a mark from its answer's first line, as a share of the page height. */
const REACH = 0.04;

/**
 * Places each mark at the height of its answer's first line. Order of preference: empty paper in the right margin, in
 * the left margin, a little higher or lower, a smaller font, the place with the least ink.
 */
export const marksOnEmptyPaper = (room: Room, marks: readonly Wanted[], letters: Lettering): PlacedMark[] => {
  const placed: PlacedMark[] = [];
  for (const { text, area } of marks.toSorted((a, b) => a.area.y - b.area.y)) {
    const spot = emptySpot(room, text, area, letters);
    if (spot === null) continue;
    room.take(spot.area);
    placed.push(spot);
  }
  return placed;
};

const emptySpot = (room: Room, text: string, area: Area, letters: Lettering): PlacedMark | null => {
  const { unit } = room;
  const find = (letter: number, emptyOnly: boolean, farthest: number): PlacedMark | null => {
    const shape = shapeOf(text, letter * unit, unit, letters);
    const firstLine = Math.min(area.height, 24 * unit);
    const wanted = area.y + firstLine / 2 - shape.height / 2;
    const y = Math.max(6 * unit, Math.min(wanted, room.height - shape.height - 6 * unit));
    const right = room.width - 7 * unit - shape.width;
    const left = 7 * unit;
    const leastCost = (top: number) => {
      const moved = Math.abs(top - y);
      return moved <= 4 * unit ? moved : moved + 12 * unit;
    };
    const search = {
      size: shape,
      // Up to 40 units inside the page, because scans have shadows along the edges.
      xs: [
        ...steps(0, 40 * unit, 4 * unit).map((inwards) => right - inwards),
        ...steps(left, left + 24 * unit, 4 * unit),
      ],
      ys: stepsAround(y, farthest, 2 * unit),
      cost: (place: Area) =>
        leastCost(place.y) + Math.min((right - place.x) * 0.2, 8 * unit + (place.x - left) * 0.2),
      leastCost,
    };
    const place = emptyOnly ? room.emptiest(search) : room.leastInked(search);
    return place === null ? null : { area: place, text: shape.text, size: shape.size };
  };
  const near = room.height * REACH;
  return (
    find(LETTER_SIZE, true, near) ??
    find(SMALLER_SIZE, true, near) ??
    find(SMALLER_SIZE, false, near) ??
    find(SMALLER_SIZE, false, room.height)
  );
};

/** Places marks in columns at the right edge near the middles of their answers, moved apart on overlap. */
export const columnOfMarks = (room: Room, marks: readonly Wanted[], letters: Lettering): PlacedMark[] => {
  const { unit } = room;
  const gap = 4 * unit;
  const height = LINE_HEIGHT * LETTER_SIZE * unit;
  const top = Math.max(6 * unit, ...room.taken.map((each) => each.y + each.height + 10 * unit));
  const bottom = room.height - 6 * unit;
  const items = marks
    .map(({ text, area }) => ({
      ...shapeOf(text, LETTER_SIZE * unit, unit, letters),
      wanted: area.y + area.height / 2 - height / 2,
    }))
    .sort((a, b) => a.wanted - b.wanted);
  const perColumn = Math.max(1, Math.floor((bottom - top + gap) / (height + gap)));
  const placed: PlacedMark[] = [];
  let right = room.width - 7 * unit;
  for (let start = 0; start < items.length; start += perColumn) {
    const column = items.slice(start, start + perColumn);
    const ys = spread(
      column.map(({ wanted }) => wanted),
      height + gap,
      top,
      bottom - height,
    );
    for (const [index, { text, size, width }] of column.entries()) {
      const area = { x: right - width, y: ys[index] ?? top, width, height };
      room.take(area);
      placed.push({ area, text, size });
    }
    right -= Math.max(...column.map(({ width }) => width)) + gap;
  }
  return placed;
};

const shapeOf = (text: string, size: number, unit: number, { bold }: Lettering) => {
  const shown = bold.shorten(text, size, 150 * unit);
  return {
    text: shown,
    size,
    width: bold.width(shown, size) + size * PADDING * 2,
    height: size * LINE_HEIGHT,
  };
};

/** Moves sorted positions down, then up again, until neighbours are `step` apart and none is after `last`. */
const spread = (wanted: readonly number[], step: number, first: number, last: number): number[] => {
  const placed: number[] = [];
  for (const each of wanted) placed.push(Math.max(each, first, (placed.at(-1) ?? -Infinity) + step));
  let limit = last;
  for (let index = placed.length - 1; index >= 0; index--) {
    placed[index] = Math.min(placed[index]!, limit);
    limit = placed[index]! - step;
  }
  return placed;
};
