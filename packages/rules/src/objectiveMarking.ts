import { Decimal } from 'decimal.js';
import { isBlankText, withoutInvisible } from './invisible.ts';

export type ObjectiveKey =
  | { type: 'mcq_single' | 'mcq_multi' | 'true_false'; correct_options: string[] }
  | { type: 'numeric'; answer: number | string | (number | string)[] }
  | { type: 'one_word'; answer: string };

export interface ObjectiveAnswer {
  option_labels?: string[];
  text?: string;
}

export interface ObjectiveMark {
  status: 'graded' | 'not_answered';
  /** maxMarks, 0, or −negativeMarks. */
  awarded: number;
  /** null when not answered. */
  correct: boolean | null;
}

/**
 * Marks an objective answer against its key (docs/api/submissions.md#typed-answers). A blank answer is not answered: 0
 * marks, never negative. Any other answer is right (maxMarks) or wrong (−negativeMarks). Never throws.
 * docs/objective-marking.md has the rules for teachers, with examples that a test marks.
 */
export const markObjective = (
  key: ObjectiveKey,
  given: ObjectiveAnswer,
  marks: { maxMarks: number; negativeMarks: number },
): ObjectiveMark => {
  const correct = isCorrect(key, given);
  if (correct === null) return { status: 'not_answered', awarded: 0, correct: null };
  if (correct) return { status: 'graded', awarded: marks.maxMarks, correct: true };
  // Avoids −0, which JSON prints as "0" but which is unequal to 0 for Object.is and in tests.
  return { status: 'graded', awarded: marks.negativeMarks === 0 ? 0 : -marks.negativeMarks, correct: false };
};

const isCorrect = (key: ObjectiveKey, given: ObjectiveAnswer): boolean | null => {
  switch (key.type) {
    case 'mcq_single':
    case 'mcq_multi':
    case 'true_false':
      return choiceIsCorrect(key.correct_options, given.option_labels ?? []);
    case 'numeric':
      return numberIsCorrect(Array.isArray(key.answer) ? key.answer : [key.answer], given.text ?? '');
    case 'one_word':
      return wordIsCorrect(key.answer, given.text ?? '');
  }
};

/**
 * A choice is right if the set of chosen options equals the set in the key, for all three choice types. So a single
 * choice with two labels is wrong, and so is a part of a multiple choice. Labels match exactly, including case; order
 * and repetition do not matter.
 */
const choiceIsCorrect = (correctOptions: string[], labels: string[]): boolean | null => {
  const chosen = new Set(labels.filter((label) => !isBlankText(label)));
  if (chosen.size === 0) return null;
  const right = new Set(correctOptions);
  return chosen.size === right.size && [...chosen].every((label) => right.has(label));
};

/** Compares exact decimals without tolerance or rounding. Text that is not a number is wrong. */
const numberIsCorrect = (accepted: (number | string)[], text: string): boolean | null => {
  if (isBlankText(text)) return null;
  const value = parseDecimal(text);
  return value !== null && accepted.some((answer) => parseDecimal(String(answer))?.equals(value) ?? false);
};

const wordIsCorrect = (answer: string, text: string): boolean | null => {
  if (isBlankText(text)) return null;
  return foldWord(text) === foldWord(answer);
};

/**
 * Parses a decimal number as a person types it, exactly; null if it is none. Ignores outer white space and invisible
 * characters.
 * - Digits of any script count by their value: ४२, ٤٢ and ４２ are 42. Superscripts, subscripts and circled digits are
 *   refused, because they have another meaning: 5² is not 52. NFKC would convert them, so it is not used.
 * - One sign: +, - or a dash for minus (see MINUS). One point, with digits on at least one side.
 * - An exponent of up to nine digits: e or E.
 * Grouped digits ("1,000") are refused, because the comma is the decimal sign in other countries. Units, percents,
 * fractions, powers (×10³), hexadecimal and "Infinity" are refused too.
 *
 * Time is linear in the length. The exponent is never expanded: 1e999999999 costs as much as 1.
 */
export const parseDecimal = (text: string): Decimal | null => {
  const plain = withoutInvisible(text)
    .trim()
    .replace(FULL_WIDTH, (form) => String.fromCodePoint((form.codePointAt(0) ?? 0) - 0xfee0))
    .replace(MINUS, '-')
    .replace(/\u066B/g, '.')
    .replace(/\p{Nd}/gu, (digit) => String(digitValue(digit)));
  return NUMBER.test(plain) ? new Decimal(plain) : null;
};

/** Each alternative begins with a different character, which prevents backtracking over digits. */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?0*\d{1,9})?$/i;

/** Full-width ASCII forms that East Asian keyboards type: digits, signs, point and e. */
const FULL_WIDTH = /[\uFF01-\uFF5E]/g;

/** Hyphens, dashes and minus signs that keyboards and word processors write for "-". */
const MINUS = /[\u2010-\u2015\u2212\uFE58\uFE63\uFF0D]/g;
/** Apostrophes and single quotes that devices write for "'", and double quotes for '"'. */
const APOSTROPHES = /[\u2018-\u201B\u2032\u02BC\uFF07`\u00B4]/g;
const QUOTES = /[\u201C-\u201F\u2033\uFF02]/g;

/** Value of a digit of any script. Unicode keeps the ten digits of a script together and in order. */
const digitValue = (digit: string): number => {
  const code = digit.codePointAt(0) ?? 0;
  let start = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(start - 1))) start -= 1;
  return (code - start) % 10;
};

/**
 * Folds a word, so that words that look the same to a reader are equal (docs/objective-marking.md). This is Unicode's
 * NFKC_Casefold: NFKC, case folding and removal of invisible characters; then outer white space is removed and inner
 * runs become one space. Apostrophes, quotes and dashes are equal in all their forms, because devices choose the form.
 * Different accents and punctuation make different words.
 *
 * JavaScript has no case folding. Lower case followed by upper case gives the same result for each character except ı,
 * whose upper case is I although it is another letter: ß, ẞ and SS are equal, and so are σ, ς and Σ.
 */
export const foldWord = (text: string): string =>
  // Apostrophes are replaced before NFKC, which makes ´ a space, and after it, because ŉ becomes ʼn.
  withoutInvisible(text.replace(APOSTROPHES, "'").normalize('NFKC'))
    .replace(APOSTROPHES, "'")
    .replace(QUOTES, '"')
    .replace(MINUS, '-')
    .toLowerCase()
    .replace(/[^ı]+/g, (part) => part.toUpperCase())
    .normalize('NFKC')
    .trim()
    .replace(/\s+/g, ' ');
