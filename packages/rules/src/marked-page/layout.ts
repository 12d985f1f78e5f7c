import type { Area, Point } from './geometry.ts';
import { STROKE_SIDE, unitOf } from './shapes.ts';
import { cut, type Letters } from './typesetter.ts';

/** Annotations drawn on one page at most. Annotations come from a model, so their number has no other bound. */
const MOST_STROKES = 300;
const MOST_MARKS = 120;
const MOST_COMMENTS = 40;
const MOST_CHARACTERS = 600;
/** Letters and lines of each comment, tried in this order until the notes of a page fit into its column. */
const COMMENT_SHAPES = [
  { letters: 9, mostLines: 12 },
  { letters: 7.6, mostLines: 9 },
  { letters: 7.6, mostLines: 4 },
  { letters: 7.6, mostLines: 2 },
  { letters: 7.6, mostLines: 1 },
];

/** Width of the margin column as a share of the page's width: the page takes four fifths of the sheet. */
export const COLUMN_SHARE = 0.25;
export const COMMENT_LEADING = 1.28;

/** An annotation with its box in fractions of the viewed page. */
export interface Placed {
  kind: 'tick' | 'cross' | 'mark' | 'comment';
  text: string;
  box: Area;
}

export interface PlacedStroke {
  kind: 'tick' | 'cross';
  /** Place of its annotation in the list that was laid out. */
  index: number;
  area: Area;
}

/** A mark or a comment in the margin column. */
export interface Note {
  kind: 'mark' | 'comment';
  /** Place of its annotation in the list that was laid out. */
  index: number;
  area: Area;
  /** Only characters that the font supports; one line of a mark. */
  lines: string[];
  size: number;
  /** From the edge of the page, at the height of the answer, to the note. */
  leader: [Point, Point];
}

interface PageLayout {
  total: Area | null;
  notes: Note[];
  strokes: PlacedStroke[];
}

/**
 * Places everything of one page: ticks and crosses at the words, and the total, marks and comments in a column beside
 * the page, at the heights of their answers, so that no note covers writing. Notes that do not fit beside each other
 * are moved and shortened, and of too many comments the last are left out; the summary has every remark.
 * @param page its size in points; the column begins at its right edge
 */
export const layOutPage = (
  page: { width: number; height: number },
  annotations: readonly Placed[],
  hasTotal: boolean,
  letters: Letters,
): PageLayout => {
  const areas = annotations
    .map(({ kind, text, box }, index) => ({ kind, text, box, index }))
    .filter(({ box }) => Number.isFinite(box.x + box.y + box.width + box.height))
    .map(({ box, ...each }) => ({ ...each, area: onPage(box, page) }));
  const unit = unitOf(page);
  const column = { x: page.width + 8 * unit, width: page.width * COLUMN_SHARE - 12 * unit };
  const side = Math.min(52 * unit, column.width);
  const total = hasTotal
    ? { x: column.x + (column.width - side) / 2, y: 8 * unit, width: side, height: side }
    : null;
  const top = (total === null ? 0 : total.y + total.height) + 6 * unit;
  const strokes: PlacedStroke[] = [];
  for (const { kind, area, index } of areas) {
    if ((kind === 'tick' || kind === 'cross') && strokes.length < MOST_STROKES)
      strokes.push({ kind, index, area: strokeAt(area, page, unit, strokes) });
  }
  const marks = areas.filter(({ kind }) => kind === 'mark').slice(0, MOST_MARKS);
  const comments = areas
    .filter(({ kind, text }) => kind === 'comment' && letters.regular.showable(text) !== '')
    .slice(0, MOST_COMMENTS);
  const notes = inColumn({ ...column, top, bottom: page.height - 6 * unit }, marks, comments, unit, letters);
  return { total, strokes, notes: notes.map((note) => ({ ...note, leader: leaderOf(note, page) })) };
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

/** Rows above and below the words that are tried until no other tick or cross stands there. */
const ROWS = [0, 1, -1, 2, -2, 3, -3];

/** The end of the words, on their middle. */
const strokeAt = (
  words: Area,
  page: { width: number; height: number },
  unit: number,
  others: readonly PlacedStroke[],
): Area => {
  const side = STROKE_SIDE * unit;
  const within = (value: number, most: number) => Math.max(2 * unit, Math.min(value, most - side - 2 * unit));
  const x = within(words.x + words.width + 2 * unit, page.width);
  const places = ROWS.map((row) => ({
    x,
    y: within(words.y + words.height / 2 - side / 2 + row * side, page.height),
    width: side,
    height: side,
  }));
  const isFree = (place: Area) =>
    others.every(({ area }) => Math.abs(area.x - place.x) >= side || Math.abs(area.y - place.y) >= side);
  return places.find(isFree) ?? places[0] ?? { x, y: words.y, width: side, height: side };
};

interface Wanted {
  index: number;
  text: string;
  area: Area;
}

type Shape = Omit<Note, 'leader' | 'area'> & { height: number; anchor: number };
type NoteInColumn = Omit<Note, 'leader'> & { anchor: number };

const inColumn = (
  column: { x: number; width: number; top: number; bottom: number },
  marks: readonly Wanted[],
  comments: readonly Wanted[],
  unit: number,
  letters: Letters,
): NoteInColumn[] => {
  const room = column.bottom - column.top;
  const gap = 4 * unit;
  const heightOf = (shapes: readonly Shape[]) => shapes.reduce((sum, { height }) => sum + height + gap, 0);
  const least = (17 * unit + gap) * marks.length;
  // Very many marks are written smaller.
  const scale = Math.min(1, room / Math.max(least, 1));
  const ofMarks = marks.map(({ index, text, area }): Shape => {
    const size = 11 * unit * scale;
    return {
      kind: 'mark',
      index,
      lines: [letters.bold.shorten(text, size, column.width - 6 * unit)],
      size,
      height: (17 * unit + gap) * scale - gap,
      anchor: area.y + Math.min(area.height, 24 * unit) / 2,
    };
  });
  const ofComments = ({ letters: points, mostLines }: (typeof COMMENT_SHAPES)[number]) =>
    comments.map(({ index, text, area }): Shape => {
      const size = points * unit;
      const lines = letters.regular.wrap(
        cut(text, MOST_CHARACTERS),
        size,
        column.width - 6 * unit,
        mostLines,
      );
      const height = lines.length * size * COMMENT_LEADING + 4 * unit;
      return { kind: 'comment', index, lines, size, height, anchor: area.y + area.height / 2 };
    });
  const left = room - heightOf(ofMarks);
  const tried = COMMENT_SHAPES.map(ofComments);
  let kept = tried.find((shapes) => heightOf(shapes) <= left) ?? tried.at(-1) ?? [];
  while (heightOf(kept) > left && kept.length > 0) kept = kept.slice(0, -1);
  const shapes = [...ofMarks, ...kept].toSorted((a, b) => a.anchor - b.anchor);
  const tops = spread(shapes, gap, column.top, column.bottom);
  return shapes.map(({ height, ...shape }, index) => ({
    ...shape,
    area: { x: column.x, y: tops[index] ?? column.top, width: column.width, height },
  }));
};

/** Tops of the shapes, as near to their anchors as the others and the ends of the column allow. */
const spread = (shapes: readonly Shape[], gap: number, first: number, last: number): number[] => {
  const tops: number[] = [];
  let next = first;
  for (const { anchor, height } of shapes) {
    tops.push(Math.max(anchor - height / 2, next));
    next = (tops.at(-1) ?? first) + height + gap;
  }
  let limit = last;
  for (const [index, { height }] of [...shapes.entries()].toReversed()) {
    tops[index] = Math.min(tops[index] ?? first, limit - height);
    limit = (tops[index] ?? first) - gap;
  }
  return tops;
};

const leaderOf = ({ area, anchor }: NoteInColumn, page: { width: number }): [Point, Point] => [
  [page.width, anchor],
  [area.x - (area.x - page.width) / 4, Math.max(area.y, Math.min(anchor, area.y + area.height))],
];
