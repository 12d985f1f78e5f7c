import { Decimal } from 'decimal.js';
import { isBlankText, withoutInvisible } from './invisible.ts';

/** The key of an objective question (docs/api/questions.md#fields). */
export type ObjectiveKey =
  | { type: 'mcq_single' | 'mcq_multi' | 'true_false'; correct_options: string[] }
  | { type: 'numeric'; answer: number | string | (number | string)[] }
  | { type: 'one_word'; answer: string };

/** What the candidate gave: labels for choice types, text for numeric and one_word. */
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
 * Marks an objective answer against its key (docs/api/submissions.md#typed-answers). Blank is not answered: 0 and
 * never negative. Anything else is right (maxMarks) or wrong (−negativeMarks); there is nothing between. Never throws.
 * docs/objective-marking.md has the rules for teachers, each with examples that a test marks.
 */
export function markObjective(
  key: ObjectiveKey,
  given: ObjectiveAnswer,
  marks: { maxMarks: number; negativeMarks: number },
): ObjectiveMark {
  const correct = isCorrect(key, given);
  if (correct === null) return { status: 'not_answered', awarded: 0, correct: null };
  if (correct) return { status: 'graded', awarded: marks.maxMarks, correct: true };
  // −0 would be printed as "0" by JSON but compares unequal in tests and Object.is: 0 is said plainly.
  return { status: 'graded', awarded: marks.negativeMarks === 0 ? 0 : -marks.negativeMarks, correct: false };
}

function isCorrect(key: ObjectiveKey, given: ObjectiveAnswer): boolean | null {
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
}

/**
 * One rule serves all three choice types: the set chosen equals the set of the key. A single choice with two labels
 * is wrong by it, and so is a part of a multiple choice. Labels match exactly, case included; order and repetition say
 * nothing.
 */
function choiceIsCorrect(correctOptions: string[], labels: string[]): boolean | null {
  const chosen = new Set(labels.filter((label) => !isBlankText(label)));
  if (chosen.size === 0) return null;
  const right = new Set(correctOptions);
  return chosen.size === right.size && [...chosen].every((label) => right.has(label));
}

/** Exact equality of decimals: no tolerance, no rounding. What is no number is wrong. */
function numberIsCorrect(accepted: (number | string)[], text: string): boolean | null {
  if (isBlankText(text)) return null;
  const value = parseDecimal(text);
  return value !== null && accepted.some((answer) => parseDecimal(String(answer))?.equals(value) ?? false);
}

function wordIsCorrect(answer: string, text: string): boolean | null {
  if (isBlankText(text)) return null;
  return foldWord(text) === foldWord(answer);
}

/**
 * A decimal number as a person types it, exactly, or null. White space around it and invisible characters do not count.
 * - Digits of any script, each by its value: ४२, ٤٢ and ４２ are 42. Superscripts, subscripts and circled digits are no
 *   digits, since they mean something else: 5² is no 52. For that reason there is no NFKC here.
 * - One sign: + or -, or a dash that stands for minus (see MINUS). One point, with digits on at least one side of it.
 * - An exponent of up to nine digits: e or E.
 * Grouped digits ("1,000") are no number: elsewhere the comma is the decimal sign, so reading one would guess. Units,
 * percents, fractions, powers (×10³), hexadecimal and "Infinity" are no numbers either.
 *
 * The time is linear in the length, and the exponent is never written out: 1e999999999 costs as much as 1.
 */
export function parseDecimal(text: string): Decimal | null {
  const plain = withoutInvisible(text)
    .trim()
    .replace(FULL_WIDTH, (form) => String.fromCodePoint((form.codePointAt(0) ?? 0) - 0xfee0))
    .replace(MINUS, '-')
    .replace(/\u066B/g, '.')
    .replace(/\p{Nd}/gu, (digit) => String(digitValue(digit)));
  return NUMBER.test(plain) ? new Decimal(plain) : null;
}

/** Each alternative begins with another character, so that no text makes it go back over digits again and again. */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?0*\d{1,9})?$/i;

/** The forms of ASCII that East Asian keyboards type: digits, signs, point and e among them. */
const FULL_WIDTH = /[\uFF01-\uFF5E]/g;

/** Hyphen, non-breaking hyphen, figure dash, en dash, minus: what keyboards and word processors make of the "-" key. */
const MINUS = /[\u2010-\u2013\u2212]/g;

/** Unicode keeps every script's ten digits together and in order: the place in its run of digits is the value. */
function digitValue(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  let start = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(start - 1))) start -= 1;
  return (code - start) % 10;
}

/**
 * What two words have in common that are the same to a reader (docs/objective-marking.md): Unicode's NFKC_Casefold, which is
 * NFKC, case folding, and no invisible characters; then trimmed, with every run of white space as one space. Nothing else:
 * accents, punctuation, and the kinds of dashes and quotes that NFKC keeps apart make another word.
 *
 * JavaScript has no case folding. Lower and then upper case comes to the same for every character but ı, which has an I
 * as its upper case and yet is a letter of its own: ß, ẞ and SS are alike, and σ, ς and Σ.
 */
export function foldWord(text: string): string {
  return withoutInvisible(text.normalize('NFKC'))
    .toLowerCase()
    .replace(/[^ı]+/g, (part) => part.toUpperCase())
    .normalize('NFKC')
    .trim()
    .replace(/\s+/g, ' ');
}
