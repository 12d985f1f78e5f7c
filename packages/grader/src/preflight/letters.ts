import { randomInt } from 'node:crypto';

/** Size of a letter in pixels. */
export const LETTER_BOX = { width: 84, height: 126 };

/**
 * SVG paths of letters in LETTER_BOX, origin top left. Letters of straight strokes need no font. Letters that resemble
 * a digit or each other are left out (B and 8, O and 0).
 */
const PATHS = {
  A: 'M0 126 L42 0 L84 126 M17 78 H67',
  E: 'M76 0 H0 V126 H76 M0 63 H63',
  F: 'M76 0 H0 V126 M0 63 H63',
  H: 'M0 0 V126 M84 0 V126 M0 63 H84',
  K: 'M0 0 V126 M80 0 L0 76 M25 53 L84 126',
  L: 'M0 0 V126 H71',
  M: 'M0 126 V0 L42 95 L84 0 V126',
  N: 'M0 126 V0 L84 126 V0',
  T: 'M0 0 H84 M42 0 V126',
  V: 'M0 0 L42 126 L84 0',
  X: 'M0 0 L84 126 M84 0 L0 126',
  Z: 'M0 0 H84 L0 126 H84',
} as const;

type Letter = keyof typeof PATHS;
const LETTERS = Object.keys(PATHS).filter((letter): letter is Letter => letter in PATHS);

export const WORD_LENGTH = 5;

/** A random row of different letters: about 95,000 possible rows. */
export const randomWord = (): Letter[] => {
  const left = [...LETTERS];
  return Array.from({ length: WORD_LENGTH }, () => left.splice(randomInt(left.length), 1)).flat();
};

/** Compares a reply with the letters in their order: `nearly` if one letter is wrong. */
export const compareWord = (reply: string, word: readonly string[]): 'right' | 'nearly' | 'wrong' => {
  const letters = [...reply.toUpperCase().replaceAll(/[^A-Z]/g, '')];
  if (letters.length !== word.length) return 'wrong';
  const wrong = word.filter((letter, index) => letters[index] !== letter).length;
  if (wrong === 0) return 'right';
  return wrong === 1 ? 'nearly' : 'wrong';
};

export const pathOf = (letter: Letter): string => PATHS[letter];
