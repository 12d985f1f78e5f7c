import type { Model } from './model.ts';
import type { Pixels, Rectangle } from './types.ts';

/*
 * What a rectangle says: PP-OCRv6 small, recognition, decoded by connectionist temporal classification (CTC): the most
 * probable class of each column, repeats joined, blanks dropped.
 */

/** Height in pixels of the picture of a line, as the network was trained. */
const LINE_HEIGHT = 48;
/** Pixels of the longest picture of a line; a longer line is squeezed. */
const MOST_COLUMNS = 3200;
/** Samples across for each pixel of a line that is larger than `LINE_HEIGHT`. */
const MOST_SAMPLES = 3;
/** A rectangle this much taller than wide holds writing from bottom to top. */
const STANDING = 1.5;
/** Class 0 of the network: no character. */
const BLANK = 0;

export interface Character {
  text: string;
  /** Probability, 0..1. */
  confidence: number;
  /** Middle of its first column, as a fraction of the line's width. */
  at: number;
  /** Its first column, and the one after its last. */
  columns: [from: number, to: number];
}

/** What the network says of each column of a line. */
interface Columns {
  /** Probabilities, class after class, column after column. */
  probabilities: Float32Array;
  /** Number of columns. */
  length: number;
}

export interface Recognised {
  /** The rectangle along which the line was read: turned by 90° if it stands. */
  rectangle: Rectangle;
  characters: Character[];
  columns: Columns;
}

/** @param classes the character of each class after the blank */
export const recognise = async (
  model: Model,
  pixels: Pixels,
  found: Rectangle,
  classes: readonly string[],
): Promise<Recognised> => {
  const rectangle = found.height > found.width * STANDING ? laid(found) : found;
  const columns = Math.max(
    LINE_HEIGHT / 4,
    Math.min(MOST_COLUMNS, Math.round((LINE_HEIGHT * rectangle.width) / rectangle.height)),
  );
  const probabilities = await model.run(lineOf(pixels, rectangle, columns), [1, 3, LINE_HEIGHT, columns]);
  const read = { probabilities, length: probabilities.length / (classes.length + 1) };
  return { rectangle, characters: decode(read, classes), columns: read };
};

/** The same rectangle, read from its bottom to its top. */
const laid = ({ x, y, width, height, angle }: Rectangle): Rectangle => ({
  x,
  y,
  width: height,
  height: width,
  angle: angle - Math.PI / 2,
});

/** The line as planes of blue, green and red from −1 to 1, sampled along its angle. */
const lineOf = (pixels: Pixels, rectangle: Rectangle, columns: number): Float32Array => {
  const { x, y, width, height, angle } = rectangle;
  const size = columns * LINE_HEIGHT;
  const planes = new Float32Array(size * 3);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const samples = Math.max(1, Math.min(MOST_SAMPLES, Math.ceil(height / LINE_HEIGHT)));
  const [stepX, stepY] = [width / columns / samples, height / LINE_HEIGHT / samples];
  const sum = new Float64Array(3);
  for (let row = 0; row < LINE_HEIGHT; row++) {
    for (let column = 0; column < columns; column++) {
      sum.fill(0);
      for (let v = 0; v < samples; v++) {
        for (let u = 0; u < samples; u++) {
          const along = (column * samples + u + 0.5) * stepX - width / 2;
          const across = (row * samples + v + 0.5) * stepY - height / 2;
          addSample(sum, pixels, x + along * cos - across * sin, y + along * sin + across * cos);
        }
      }
      const at = row * columns + column;
      for (let plane = 0; plane < 3; plane++) {
        planes[plane * size + at] = sum[2 - plane]! / (samples * samples) / 127.5 - 1;
      }
    }
  }
  return planes;
};

/** Adds the colour at a point between pixels, weighted by distance. Outside the picture its edge continues. */
const addSample = (sum: Float64Array, { data, width, height }: Pixels, x: number, y: number): void => {
  const [left, top] = [clamp(x - 0.5, width - 1), clamp(y - 0.5, height - 1)];
  const [x0, y0] = [Math.floor(left), Math.floor(top)];
  const [x1, y1] = [Math.min(x0 + 1, width - 1), Math.min(y0 + 1, height - 1)];
  const [fx, fy] = [left - x0, top - y0];
  const [a, b, c, d] = [
    (y0 * width + x0) * 3,
    (y0 * width + x1) * 3,
    (y1 * width + x0) * 3,
    (y1 * width + x1) * 3,
  ];
  for (let channel = 0; channel < 3; channel++) {
    const upper = data[a + channel]! * (1 - fx) + data[b + channel]! * fx;
    const lower = data[c + channel]! * (1 - fx) + data[d + channel]! * fx;
    sum[channel] = sum[channel]! + upper * (1 - fy) + lower * fy;
  }
};

const clamp = (value: number, most: number): number => Math.max(0, Math.min(most, value));

const decode = ({ probabilities, length }: Columns, classes: readonly string[]): Character[] => {
  const count = classes.length + 1;
  const characters: Character[] = [];
  let previous = BLANK;
  for (let column = 0; column < length; column++) {
    let best = BLANK;
    const start = column * count;
    for (let at = 1; at < count; at++) {
      if (probabilities[start + at]! > probabilities[start + best]!) best = at;
    }
    const text = classes[best - 1];
    if (text !== undefined && best !== previous) {
      const confidence = probabilities[start + best]!;
      characters.push({ text, confidence, at: (column + 0.5) / length, columns: [column, column + 1] });
    } else if (text !== undefined) characters.at(-1)!.columns[1] = column + 1;
    previous = best;
  }
  return characters;
};

/**
 * Natural logarithm of the probability that the columns from `from` to `to` say `text`: the sum over all ways to spread
 * its characters and blanks over the columns (Graves et al. 2006, section 4.1). −∞ if the network lacks a character.
 */
export const logProbability = (
  { probabilities }: Columns,
  [from, to]: [from: number, to: number],
  text: string,
  classes: readonly string[],
): number => {
  const letters = Array.from(text, (letter) => classes.indexOf(letter) + 1);
  if (letters.includes(BLANK)) return -Infinity;
  const states = letters.flatMap((letter) => [BLANK, letter]).concat(BLANK);
  let reached = states.map((_, state): number => (state < 2 ? 1 : 0));
  let log = 0;
  for (let column = from; column < to; column++) {
    const start = column * (classes.length + 1);
    const next = states.map((symbol, state) => {
      const isFirst = column === from;
      const stays = reached[state]! + (isFirst ? 0 : (reached[state - 1] ?? 0));
      const skips =
        !isFirst && symbol !== BLANK && symbol !== states[state - 2] ? (reached[state - 2] ?? 0) : 0;
      return (stays + skips) * probabilities[start + symbol]!;
    });
    const sum = next.reduce((all, each) => all + each, 0);
    if (sum === 0) return -Infinity;
    log += Math.log(sum);
    reached = next.map((each) => each / sum);
  }
  return log + Math.log(reached.at(-1)! + (reached.at(-2) ?? 0));
};
