import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import englishWords from 'word-list';
import { detect, LONGEST_SIDE, SIDE_STEP } from './detect.ts';
import { createLexicon, type Lexicon } from './lexicon.ts';
import { loadClasses, loadModel, weights } from './model.ts';
import { logProbability, recognise } from './recognise.ts';
import type { Character, Recognised } from './recognise.ts';
import { boundsOf } from './rectangle.ts';
import { inReadingOrder } from './rows.ts';
import type { Box, Line, Pixels, Rectangle, Word } from './types.ts';

/** Mean probability of the characters below which a piece is noise of paper or of a drawing. */
const LEAST_CONFIDENCE = 0.3;
/** Share of a column of CTC by which a word's box reaches beyond the middles of its first and last characters. */
const CHARACTER_WIDTH = 0.5;

/** Words of a piece are made at once, because the probabilities of all pieces of a page would take 30 MB. */
type Piece = Pick<Recognised, 'rectangle' | 'characters'> & { words: Word[] };

/** Lines of a picture; `paper` are texts of the exam, whose words may be taken for misread ones. */
type ReadPicture = (jpeg: Uint8Array, paper: readonly string[]) => Promise<Line[]>;

/** Reads pictures one after the other. Heavy: run it in a process of its own. */
export const createReader = async (): Promise<ReadPicture> => {
  const [detector, recogniser, classes, english] = await Promise.all([
    loadModel(weights('detector.onnx')),
    loadModel(weights('recogniser.onnx')),
    loadClasses(),
    readFile(englishWords, 'utf8').then((text) => new Set(text.split('\n'))),
  ]);
  return async (jpeg, paper) => {
    const lexicon = createLexicon(paper, english);
    const picture = await decode(jpeg);
    const scaled = await scale(picture);
    const found = await detect(detector, scaled);
    const [across, down] = [picture.width / scaled.width, picture.height / scaled.height];
    const pieces: Piece[] = [];
    for (const rectangle of found) {
      const piece = await recognise(recogniser, picture, stretched(rectangle, across, down), classes);
      if (mean(piece.characters) < LEAST_CONFIDENCE) continue;
      pieces.push({ ...piece, words: wordsOf(piece, picture, { lexicon, classes }) });
    }
    return inReadingOrder(pieces, picture.width).map((row) => lineOf(row, picture));
  };
};

const decode = async (jpeg: Uint8Array): Promise<Pixels> => {
  const { data, info } = await sharp(jpeg)
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
};

const scale = async ({ data, width, height }: Pixels): Promise<Pixels> => {
  const factor = Math.min(1, LONGEST_SIDE / Math.max(width, height));
  const side = (pixels: number) => Math.max(SIDE_STEP, Math.round((pixels * factor) / SIDE_STEP) * SIDE_STEP);
  const scaled = await sharp(data, { raw: { width, height, channels: 3 } })
    .resize(side(width), side(height), { fit: 'fill', kernel: 'linear' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data: scaled.data, width: scaled.info.width, height: scaled.info.height };
};

/** A rectangle of the scaled picture on the picture. Both factors are nearly equal, so the angle stays. */
const stretched = ({ x, y, width, height, angle }: Rectangle, across: number, down: number): Rectangle => {
  const isLevel = Math.abs(Math.cos(angle)) > 0.7;
  const [along, over] = isLevel ? [across, down] : [down, across];
  return { x: x * across, y: y * down, width: width * along, height: height * over, angle };
};

const mean = (characters: readonly Character[]): number =>
  characters.length === 0
    ? 0
    : characters.reduce((sum, { confidence }) => sum + confidence, 0) / characters.length;

const lineOf = (pieces: readonly Piece[], picture: Pixels): Line => {
  const words = pieces.flatMap((piece) => piece.words);
  const box = joined(pieces.map(({ rectangle }) => boxOf(boundsOf(rectangle), picture)));
  const text = words.map((word) => word.text).join(' ');
  return { text, box, confidence: mean(pieces.flatMap(({ characters }) => characters)), words };
};

const wordsOf = (
  { rectangle, characters, columns }: Recognised,
  picture: Pixels,
  { lexicon, classes }: { lexicon: Lexicon; classes: readonly string[] },
): Word[] => {
  const groups: { letters: Character[]; from: number; to: number }[] = [{ letters: [], from: 0, to: 0 }];
  for (const [index, character] of characters.entries()) {
    const [from, to] = character.columns;
    groups.at(-1)!.to = from;
    if (character.text === ' ') groups.push({ letters: [], from: to, to });
    else if (followsLabel(characters, index, rectangle)) groups.push({ letters: [character], from, to });
    else groups.at(-1)!.letters.push(character);
  }
  groups.at(-1)!.to = columns.length;
  const half = (CHARACTER_WIDTH * rectangle.height) / rectangle.width;
  return groups
    .filter(({ letters }) => letters.length > 0)
    .map(({ letters, from, to }) => {
      const [left, right] = [Math.max(0, letters[0]!.at - half), Math.min(1, letters.at(-1)!.at + half)];
      const read = letters.map(({ text }) => text).join('');
      const text = lexicon.choose(read, (word) => logProbability(columns, [from, to], word, classes));
      return {
        text,
        ...(text === read ? {} : { read }),
        box: boxOf(boundsOf(rectangle, left, right), picture),
        confidence: mean(letters),
      };
    });
};

/**
 * "2. 42": the network takes a number behind a label for a decimal fraction and leaves out the space. On 40 rendered
 * lines in five fonts the point of "2.42" is at most 0.35 heights before the next figure, and that of "2. 42" at least
 * 0.49.
 */
const LABEL_GAP = 0.42;
const followsLabel = (
  characters: readonly Character[],
  index: number,
  { width, height }: Rectangle,
): boolean => {
  const before = characters.slice(0, index).map(({ text }) => text);
  const [last, next] = [characters[index - 1], characters[index]!];
  if (last === undefined || !/^\d$/u.test(next.text) || !/^\d{1,2}[.]$/u.test(before.join(''))) return false;
  return ((next.at - last.at) * width) / height > LABEL_GAP;
};

const boxOf = ({ left, top, right, bottom }: ReturnType<typeof boundsOf>, { width, height }: Pixels): Box => {
  const [x, y] = [Math.max(0, left / width), Math.max(0, top / height)];
  return { x, y, width: Math.min(1, right / width) - x, height: Math.min(1, bottom / height) - y };
};

const joined = (boxes: readonly Box[]): Box => {
  const [x, y] = [Math.min(...boxes.map((box) => box.x)), Math.min(...boxes.map((box) => box.y))];
  return {
    x,
    y,
    width: Math.max(...boxes.map((box) => box.x + box.width)) - x,
    height: Math.max(...boxes.map((box) => box.y + box.height)) - y,
  };
};
