import sharp from 'sharp';

/**
 * Reads a row of large capital letters from the pixels of a picture. Letters are split at empty columns, scaled to 5
 * × 7 cells and matched to the alphabet's letter with the most equal cells.
 */

const ALPHABET: Readonly<Record<string, string>> = {
  A: '..#.. ..#.. .###. .#.#. .#### ##### #...#',
  E: '##### #.... #.... ####. #.... #.... #####',
  F: '##### #.... #.... ####. #.... #.... #....',
  H: '#...# #...# #...# ##### #...# #...# #...#',
  K: '#...# #..#. #.#.. ###.. ####. #..#. #...#',
  L: '#.... #.... #.... #.... #.... #.... #####',
  M: '#...# ##.## ##### #.#.# #.#.# #...# #...#',
  N: '#...# ##..# ###.# #.#.# #.### #..## #...#',
  T: '##### ..#.. ..#.. ..#.. ..#.. ..#.. ..#..',
  V: '#...# #...# ##.## .#.#. .#.#. .###. ..#..',
  X: '#...# ##.## .###. ..#.. .###. ##.## #...#',
  Z: '##### ...## ...#. ..#.. .#... ##... #####',
};
const [COLUMNS, ROWS] = [5, 7];
const DARK = 128;

export const readLetters = async (jpeg: Buffer): Promise<string> => {
  const { data, info } = await sharp(jpeg).greyscale().raw().toBuffer({ resolveWithObject: true });
  const isDark = (x: number, y: number) => (data[(y * info.width + x) * info.channels] ?? 255) < DARK;
  const [line] = spans(info.height, (y) => anyOf(info.width, (x) => isDark(x, y)));
  if (line === undefined) return '';
  return spans(info.width, (x) => anyOf(line.length, (y) => isDark(x, line.start + y)))
    .map((column) => {
      const cells = range(ROWS).flatMap((row) =>
        range(COLUMNS).map((cell) =>
          isDark(
            column.start + Math.floor(((cell + 0.5) * column.length) / COLUMNS),
            line.start + Math.floor(((row + 0.5) * line.length) / ROWS),
          ),
        ),
      );
      return nearestLetter(cells);
    })
    .join('');
};

const nearestLetter = (cells: readonly boolean[]): string => {
  const unlike = Object.entries(ALPHABET).map(([letter, shape]) => {
    const template = [...shape.replaceAll(' ', '')].map((cell) => cell === '#');
    return { letter, cells: template.filter((cell, index) => cell !== cells[index]).length };
  });
  return unlike.toSorted((a, b) => a.cells - b.cells)[0]?.letter ?? '';
};

const spans = (length: number, isInk: (at: number) => boolean): { start: number; length: number }[] => {
  const found: { start: number; length: number }[] = [];
  let open: { start: number; length: number } | null = null;
  for (let at = 0; at < length; at += 1) {
    if (!isInk(at)) open = null;
    else if (open === null) found.push((open = { start: at, length: 1 }));
    else open.length += 1;
  }
  return found;
};

const anyOf = (length: number, holds: (at: number) => boolean): boolean => {
  for (let at = 0; at < length; at += 1) if (holds(at)) return true;
  return false;
};

const range = (length: number): number[] => Array.from({ length }, (_, index) => index);
