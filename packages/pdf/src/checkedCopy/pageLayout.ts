import type { Annotation } from '../types.ts';
import type { Area } from './canvas.ts';
import { placeComment } from './comments.ts';
import type { PlacedComment } from './comments.ts';
import { inkOfBoxes, noInk } from './freeSpace.ts';
import type { InkShare } from './freeSpace.ts';
import type { Lettering } from './lettering.ts';
import { columnOfMarks, marksOnEmptyPaper } from './marginMarks.ts';
import type { PlacedMark } from './marginMarks.ts';
import { Room, steps, stepsAround } from './room.ts';

/** Annotations drawn on one page at most. Annotations come from a model, so their number has no other bound. */
const MOST_STROKES = 300;
const MOST_MARKS = 120;
const MOST_COMMENTS = 40;

export type Placed = Pick<Annotation, 'kind' | 'text' | 'box'>;

export interface PlacedStroke {
  kind: 'tick' | 'cross';
  area: Area;
}

/** Areas do not overlap, except on a page without an image that has too many marks. */
export interface PageLayout {
  total: Area | null;
  marks: PlacedMark[];
  strokes: PlacedStroke[];
  comments: PlacedComment[];
}

/**
 * Places everything on one page and keeps the student's writing legible. With `ink`, marks, ticks and crosses go to
 * the emptiest paper near their answer, and a comment goes to empty paper or stays in the summary only. Without `ink`
 * (null), marks stand in a column at the right edge, and only the annotated boxes count as writing.
 */
export const layOutPage = (
  page: { width: number; height: number },
  annotations: readonly Placed[],
  hasTotal: boolean,
  letters: Lettering,
  ink: InkShare | null,
): PageLayout => {
  const areas = annotations
    .filter(({ box }) => Number.isFinite(box.x + box.y + box.width + box.height))
    .map(({ kind, text, box }) => ({ kind, text, area: onPage(box, page) }));
  const firstOf = <K extends Placed['kind']>(kinds: readonly K[], most: number) =>
    areas
      .flatMap(({ kind, text, area }) =>
        kinds.filter((each) => each === kind).map((each) => ({ kind: each, text, area })),
      )
      .slice(0, most);

  const room = new Room(page, ink ?? noInk);
  const total = hasTotal ? placeTotal(room) : null;
  const ofMarks = firstOf(['mark'], MOST_MARKS);
  const marks =
    ink === null ? columnOfMarks(room, ofMarks, letters) : marksOnEmptyPaper(room, ofMarks, letters);
  const strokes = firstOf(['tick', 'cross'], MOST_STROKES).flatMap(({ kind, area }) => {
    const placed = placeStroke(room, area);
    return placed === null ? [] : [{ kind, area: placed }];
  });
  const written = ink === null ? new Room(page, inkOfBoxes(areas.map(({ area }) => area)), room.taken) : room;
  const comments = firstOf(['comment'], MOST_COMMENTS).flatMap(({ text, area }) => {
    const placed = placeComment(written, text, area, letters);
    return placed === null ? [] : [placed];
  });
  return { total, marks, strokes, comments };
};

const onPage = (box: Placed['box'], page: { width: number; height: number }): Area => {
  const clamp = (value: number) => Math.max(0, Math.min(1, value));
  const [left, right] = [clamp(box.x), clamp(box.x + Math.max(0, box.width))];
  const [top, bottom] = [clamp(box.y), clamp(box.y + Math.max(0, box.height))];
  return {
    x: left * page.width,
    y: top * page.height,
    width: (right - left) * page.width,
    height: (bottom - top) * page.height,
  };
};

/** Places the total in the top right corner, or near it where the corner is written on. */
const placeTotal = (room: Room): Area => {
  const { unit } = room;
  const side = 52 * unit;
  const [x, y] = [room.width - side - 10 * unit, 10 * unit];
  const place = room.emptiest({
    size: { width: side, height: side },
    xs: steps(0, room.width * 0.4, 6 * unit).map((away) => x - away),
    ys: steps(y, y + room.height * 0.05, 6 * unit),
    cost: (area) => Math.hypot(area.x - x, area.y - y),
  }) ?? { x, y, width: side, height: side };
  room.take(place);
  return place;
};

/** Places a tick or cross at the end of its answer or nearby. Returns null when no place on the page is free. */
const placeStroke = (room: Room, area: Area): Area | null => {
  const { unit } = room;
  for (const [side, wanted] of [
    [17 * unit, 'empty'],
    [13 * unit, 'empty'],
    [13 * unit, 'free'],
  ] as const) {
    const x = Math.min(area.x + area.width + 2 * unit, room.width - side - 2 * unit);
    const y = Math.max(
      2 * unit,
      Math.min(area.y + area.height / 2 - side / 2, room.height - side - 2 * unit),
    );
    const beyond = (top: number) =>
      Math.max(0, area.y - (top + side / 2), top + side / 2 - (area.y + area.height));
    const leastCost = (top: number) => Math.abs(top - y) + beyond(top) * 2;
    const search = {
      size: { width: side, height: side },
      xs: stepsAround(x, room.width, 4 * unit),
      cost: (place: Area) => Math.abs(place.x - x) * 0.7 + leastCost(place.y),
      leastCost,
      clearance: unit,
    };
    const near = stepsAround(y, Math.max(30 * unit, area.height / 2 + 20 * unit), 3 * unit);
    const place =
      wanted === 'empty'
        ? room.emptiest({ ...search, ys: near })
        : (room.leastInked({ ...search, ys: near }) ??
          room.leastInked({ ...search, ys: stepsAround(y, room.height, side) }));
    if (place === null) continue;
    room.take(place);
    return place;
  }
  return null;
};
