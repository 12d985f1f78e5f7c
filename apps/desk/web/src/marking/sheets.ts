import { COLUMN_SHARE } from '@evaluation/rules/marked-page';

/** How large pages are shown: fitted to the pane, and then enlarged. */
export interface Zoom {
  fit: 'width' | 'page';
  factor: number;
}

/** Place of one sheet, a page with its column, among all sheets, in pixels. */
export interface SheetBox {
  page: number;
  top: number;
  left: number;
  width: number;
  height: number;
  /** Pixels of the width of the page. */
  scale: number;
}

interface Size {
  width: number;
  height: number;
}

const GAP = 12;
const PAD = 4;

/** Quarter turns to the right by which the examiner has turned the sheets. */
export type Turns = 0 | 1 | 2 | 3;

/**
 * Sheets one below the other.
 * @param ratios height by width of each page
 */
export const sheetBoxes = (
  ratios: readonly number[],
  pane: Size,
  { fit, factor }: Zoom,
  { turns, hasColumn }: { turns: Turns; hasColumn: boolean },
): SheetBox[] => {
  let top = PAD;
  const room = { width: Math.max(pane.width - PAD * 2, 50), height: Math.max(pane.height - PAD * 2, 50) };
  return ratios.map((ratio, index) => {
    const wide = hasColumn ? 1 + COLUMN_SHARE : 1;
    const [width, height] = turns % 2 === 0 ? [wide, ratio] : [ratio, wide];
    const fitted = fit === 'width' ? room.width / width : Math.min(room.width / width, room.height / height);
    const scale = fitted * factor;
    const box = {
      page: index + 1,
      top,
      left: Math.max(PAD, (pane.width - width * scale) / 2),
      width: width * scale,
      height: height * scale,
      scale,
    };
    top += box.height + GAP;
    return box;
  });
};

/** Place in pixels of a point in fractions of the page. */
export const pointOn = (
  box: SheetBox,
  ratio: number,
  { turns, hasColumn }: { turns: Turns; hasColumn: boolean },
  [x, y]: readonly [number, number],
): { x: number; y: number } => {
  const [width, height] = [hasColumn ? 1 + COLUMN_SHARE : 1, ratio];
  const [u, v] = [x, y * ratio];
  const turned = [
    [u, v],
    [height - v, u],
    [width - u, height - v],
    [v, width - u],
  ][turns] ?? [u, v];
  return { x: box.left + (turned[0] ?? 0) * box.scale, y: box.top + (turned[1] ?? 0) * box.scale };
};
