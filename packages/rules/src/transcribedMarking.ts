import {
  foldWord,
  markObjective,
  parseDecimal,
  type ObjectiveAnswer,
  type ObjectiveKey,
  type ObjectiveMark,
} from './objectiveMarking.ts';
import {
  asDecimalComma,
  isAbout,
  isSameNumber,
  readNumber,
  wordWithoutMarkup,
} from './transcribedNotation.ts';

/** `doubtful`: unclear, or only letters and digits match; earns 0, and a person has to look. null: no value. */
type Comparison = 'right' | 'wrong' | 'doubtful' | null;

/**
 * Compares a value read on a page with the key. A value that is right or wrong as typed (objectiveMarking.ts) is so
 * here. Other notations of the same value are right too, because the reader chose them and not the candidate: LaTeX,
 * quotes, a full stop at the end, subscripts in words; in numbers grouped digits, powers of ten and fractions of whole
 * numbers. Percents, units, roots and numbers in words are doubtful. Never throws. docs/objective-marking.md has the
 * rules for teachers.
 */
export const compareTranscribed = (key: ObjectiveKey, given: ObjectiveAnswer): Comparison => {
  const { correct } = markObjective(key, given, { maxMarks: 1, negativeMarks: 0 });
  if (correct === null) return null;
  if (correct || 'correct_options' in key) return correct ? 'right' : 'wrong';
  return key.type === 'numeric'
    ? compareNumber(Array.isArray(key.answer) ? key.answer : [key.answer], given.text ?? '')
    : compareWord(key.answer, given.text ?? '');
};

/** Marks a value read on a page; like `markObjective`, but by `compareTranscribed`. */
export const markTranscribed = (
  key: ObjectiveKey,
  given: ObjectiveAnswer,
  marks: { maxMarks: number; negativeMarks: number },
): ObjectiveMark =>
  compareTranscribed(key, given) === 'right'
    ? { status: 'graded', awarded: marks.maxMarks, correct: true }
    : markObjective(key, given, marks);

const compareNumber = (answers: readonly (number | string)[], text: string): Comparison => {
  const accepted = answers.flatMap((answer) => parseDecimal(String(answer)) ?? []);
  const value = readNumber(text);
  if (value === null) return 'doubtful';
  if (accepted.some((answer) => isSameNumber(value, answer))) return 'right';
  const otherwise = asDecimalComma(text);
  const mayBe = accepted.some(
    (answer) => isAbout(value, answer) || (otherwise !== null && isSameNumber(otherwise, answer)),
  );
  return mayBe ? 'doubtful' : 'wrong';
};

const compareWord = (answer: string, text: string): Comparison => {
  const read = plainWord(text);
  if (read === '') return 'doubtful';
  if (read === plainWord(answer)) return 'right';
  const hasMarkup = /[\\$^{}_]|<\/?su[bp]>/i.test(wordWithoutMarkup(text));
  return hasMarkup || (signs(text) !== '' && signs(text) === signs(answer)) ? 'doubtful' : 'wrong';
};

const plainWord = (text: string): string => foldWord(wordWithoutMarkup(text));

const signs = (text: string): string => plainWord(text).replace(/[^\p{L}\p{N}\p{M}]/gu, '');
