import { randomInt } from 'node:crypto';

/*
 * Letters of straight strokes need no font. Letters that resemble a digit or each other are left out (B and 8, O and
 * 0).
 */

type Stroke = readonly [x1: number, y1: number, x2: number, y2: number];

/** Strokes by letter, in a square from 0 to 1, origin top left. */
const STROKES = {
  A: [
    [0, 1, 0.5, 0],
    [0.5, 0, 1, 1],
    [0.2, 0.62, 0.8, 0.62],
  ],
  E: [
    [0, 0, 0, 1],
    [0, 0, 0.9, 0],
    [0, 0.5, 0.75, 0.5],
    [0, 1, 0.9, 1],
  ],
  F: [
    [0, 0, 0, 1],
    [0, 0, 0.9, 0],
    [0, 0.5, 0.75, 0.5],
  ],
  H: [
    [0, 0, 0, 1],
    [1, 0, 1, 1],
    [0, 0.5, 1, 0.5],
  ],
  K: [
    [0, 0, 0, 1],
    [0.95, 0, 0, 0.6],
    [0.3, 0.42, 1, 1],
  ],
  L: [
    [0, 0, 0, 1],
    [0, 1, 0.85, 1],
  ],
  M: [
    [0, 1, 0, 0],
    [0, 0, 0.5, 0.75],
    [0.5, 0.75, 1, 0],
    [1, 0, 1, 1],
  ],
  N: [
    [0, 1, 0, 0],
    [0, 0, 1, 1],
    [1, 1, 1, 0],
  ],
  T: [
    [0, 0, 1, 0],
    [0.5, 0, 0.5, 1],
  ],
  V: [
    [0, 0, 0.5, 1],
    [0.5, 1, 1, 0],
  ],
  X: [
    [0, 0, 1, 1],
    [1, 0, 0, 1],
  ],
  Z: [
    [0, 0, 1, 0],
    [1, 0, 0, 1],
    [0, 1, 1, 1],
  ],
} as const satisfies Record<string, readonly Stroke[]>;

type Letter = keyof typeof STROKES;
const LETTERS = Object.keys(STROKES).filter((letter): letter is Letter => letter in STROKES);

export const WORD_LENGTH = 5;

/** A random row of different letters: about 95,000 possible rows. */
export const randomWord = (): Letter[] => {
  const left = [...LETTERS];
  return Array.from({ length: WORD_LENGTH }, () => left.splice(randomInt(left.length), 1)).flat();
};

/** Compares a reply with the letters in their order: `nearly` if one letter is wrong. */
export const compareWord = (reply: string, word: readonly string[]): 'right' | 'nearly' | 'wrong' => {
  const said = [...reply.toUpperCase().replaceAll(/[^A-Z]/g, '')];
  if (said.length !== word.length) return 'wrong';
  const wrong = word.filter((letter, index) => said[index] !== letter).length;
  if (wrong === 0) return 'right';
  return wrong === 1 ? 'nearly' : 'wrong';
};

export const strokesOf = (letter: Letter): readonly Stroke[] => STROKES[letter];
