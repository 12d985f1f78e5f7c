import { Decimal } from 'decimal.js';

/** The key of an objective question (spec 2.2). */
export type ObjectiveKey =
  | { type: 'mcq_single' | 'mcq_multi' | 'true_false'; correct_options: string[] }
  | { type: 'numeric'; answer: number | string | (number | string)[] }
  | { type: 'one_word'; answer: string };

/** What the candidate gave: labels for choice types, text for numeric and one_word. */
export interface GivenAnswer {
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
 * Marks an objective answer against its key (spec 4.7 rules 5 and 6; design chapter 5). Blank is not answered: 0 and
 * never negative. Anything else is right (maxMarks) or wrong (−negativeMarks); there is nothing between.
 */
export function markObjective(
  key: ObjectiveKey,
  given: GivenAnswer,
  marks: { maxMarks: number; negativeMarks: number },
): ObjectiveMark {
  const correct = isCorrect(key, given);
  if (correct === null) return { status: 'not_answered', awarded: 0, correct: null };
  if (correct) return { status: 'graded', awarded: marks.maxMarks, correct: true };
  // −0 would be printed as "0" by JSON but compares unequal in tests and Object.is: 0 is said plainly.
  return { status: 'graded', awarded: marks.negativeMarks === 0 ? 0 : -marks.negativeMarks, correct: false };
}

function isCorrect(key: ObjectiveKey, given: GivenAnswer): boolean | null {
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
 * is wrong by it, and so is a part of a multiple choice. Labels match exactly, case included.
 */
function choiceIsCorrect(correctOptions: string[], labels: string[]): boolean | null {
  const chosen = new Set(labels.filter((label) => label.trim() !== ''));
  if (chosen.size === 0) return null;
  const right = new Set(correctOptions);
  return chosen.size === right.size && [...chosen].every((label) => right.has(label));
}

function numberIsCorrect(accepted: (number | string)[], text: string): boolean | null {
  if (text.trim() === '') return null;
  const value = parseDecimal(text);
  return value !== null && accepted.some((answer) => parseDecimal(String(answer))?.equals(value) ?? false);
}

function wordIsCorrect(answer: string, text: string): boolean | null {
  const word = foldWord(text);
  if (word === '') return null;
  return word === foldWord(answer);
}

/**
 * A decimal number as a person types it, exactly, or null. Digits of any script, + - and U+2212, one point, an
 * exponent. Grouped digits ("1,000") are no number: elsewhere the comma is the decimal sign, so reading one would
 * guess. Units, fractions, hexadecimal and "Infinity" are no numbers either.
 */
export function parseDecimal(text: string): Decimal | null {
  const plain = text
    .trim()
    .normalize('NFKC')
    .replaceAll('\u2212', '-')
    .replace(/\p{Nd}/gu, (digit) => String(digitValue(digit)));
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,9})?$/i.test(plain) ? new Decimal(plain) : null;
}

/** Unicode keeps every script's ten digits together and in order: the place in its run of digits is the value. */
function digitValue(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  let start = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(start - 1))) start -= 1;
  return (code - start) % 10;
}

/** Upper then lower case is the closest JavaScript has to case folding: ß and SS, ς and σ come out alike. */
function foldWord(text: string): string {
  return text.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC').trim().replace(/\s+/gu, ' ');
}
