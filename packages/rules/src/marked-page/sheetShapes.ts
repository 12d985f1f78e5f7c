import type { Area, Point } from './geometry.ts';
import { COMMENT_LEADING, layOutPage, type Note, type Placed } from './layout.ts';
import { crossIn, PEN, ringIn, straight, tickIn, unitOf, type Shape } from './shapes.ts';
import type { Letters } from './typesetter.ts';

export interface SheetShape {
  shape: Shape;
  /** Remarks are darker than marks, so that small letters are readable. */
  tone: 'mark' | 'remark';
  /** Place of its annotation in the list; null for the total. */
  index: number | null;
}

/**
 * The shapes of one page and of the column beside it: ticks and crosses at the words, the total, marks and remarks.
 * Sizes follow the page's short side, so that pages stored in a huge or tiny size look the same.
 */
export const sheetShapes = (
  page: { width: number; height: number },
  annotations: readonly Placed[],
  total: { awarded: string; max: string } | null,
  letters: Letters,
): SheetShape[] => {
  const unit = unitOf(page);
  const layout = layOutPage(page, annotations, total !== null, letters);
  const ofTotal =
    total === null || layout.total === null ? [] : totalShapes(total, layout.total, letters, unit);
  return [
    ...ofTotal.map((shape): SheetShape => ({ shape, tone: 'mark', index: null })),
    ...layout.notes.flatMap((note) =>
      noteShapes(note, letters, unit).map((shape) => ({ ...shape, index: note.index })),
    ),
    ...layout.strokes.flatMap(({ kind, area, index }) =>
      (kind === 'tick' ? tickIn : crossIn)(area, PEN * unit).map((shape): SheetShape => ({
        shape,
        tone: 'mark',
        index,
      })),
    ),
  ];
};

const totalShapes = (
  { awarded, max }: { awarded: string; max: string },
  area: Area,
  { bold }: Letters,
  unit: number,
): Shape[] => {
  const [x, y] = [area.x + area.width / 2, area.y + area.height / 2];
  const radius = area.width / 2 - unit;
  const write = (text: string, baseline: number): Shape => {
    const size = Math.min(15 * unit, (radius * 1.4) / bold.width(text, 1));
    return { kind: 'text', text, at: [x - bold.width(text, size) / 2, baseline], size, bold: true };
  };
  return [
    ...ringIn({ x: x - radius, y: y - radius, width: radius * 2, height: radius * 2 }, 1.6 * unit),
    straight([x - radius * 0.68, y], [x + radius * 0.68, y], 1.2 * unit),
    write(awarded, y - 4.5 * unit),
    write(max, y + 14.5 * unit),
  ];
};

const noteShapes = (
  { kind, area, lines, size, leader }: Note,
  { bold }: Letters,
  unit: number,
): Omit<SheetShape, 'index'>[] => {
  const line: Omit<SheetShape, 'index'> = { shape: straight(...leader, 0.45 * unit), tone: 'remark' };
  const x = area.x + 4 * unit;
  if (kind === 'mark') {
    const [text = ''] = lines;
    const underline = area.y + area.height * 0.92;
    const at: Point = [x, area.y + area.height * 0.72];
    return [
      line,
      { shape: { kind: 'text', text, at, size, bold: true }, tone: 'mark' },
      { shape: straight([x, underline], [x + bold.width(text, size), underline], 1.1 * unit), tone: 'mark' },
    ];
  }
  const bar: Point[] = [
    [area.x, area.y],
    [area.x + 1.3 * unit, area.y],
    [area.x + 1.3 * unit, area.y + area.height],
    [area.x, area.y + area.height],
  ];
  return [
    line,
    { shape: { kind: 'area', outline: bar }, tone: 'mark' },
    ...lines.map((text, index): Omit<SheetShape, 'index'> => {
      const baseline = area.y + 2 * unit + index * size * COMMENT_LEADING + size * 0.95;
      return { shape: { kind: 'text', text, at: [x, baseline], size, bold: false }, tone: 'remark' };
    }),
  ];
};
