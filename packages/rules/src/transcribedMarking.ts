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

/**
 * What a value read on a page is, by the key. `doubtful`: by its letters and digits it may be right, or nobody can tell;
 * it earns nothing and a person has to look. null: there is no value.
 */
export type Comparison = 'right' | 'wrong' | 'doubtful' | null;

/**
 * Compares what was read on a page with the key. What is right or wrong as typed (objectiveMarking.ts) is so here; beyond
 * that only notation of the very same value is right, since it is the reader who chose it and not the candidate: LaTeX and
 * quotes around it, a full stop behind it, a subscript in a word; in numbers grouped digits, a power of ten, a fraction of
 * whole numbers. Percents, units, roots and words for numbers are left to a person. Never throws.
 * docs/objective-marking.md has the rules for teachers.
 */
export function compareTranscribed(key: ObjectiveKey, given: ObjectiveAnswer): Comparison {
  const { correct } = markObjective(key, given, { maxMarks: 1, negativeMarks: 0 });
  if (correct === null) return null;
  if (correct || 'correct_options' in key) return correct ? 'right' : 'wrong';
  return key.type === 'numeric'
    ? compareNumber(Array.isArray(key.answer) ? key.answer : [key.answer], given.text ?? '')
    : compareWord(key.answer, given.text ?? '');
}

/** The mark of a value that was read on a page: as `markObjective`, by `compareTranscribed`. */
export function markTranscribed(
  key: ObjectiveKey,
  given: ObjectiveAnswer,
  marks: { maxMarks: number; negativeMarks: number },
): ObjectiveMark {
  return compareTranscribed(key, given) === 'right'
    ? { status: 'graded', awarded: marks.maxMarks, correct: true }
    : markObjective(key, given, marks);
}

function compareNumber(answers: readonly (number | string)[], text: string): Comparison {
  const accepted = answers.flatMap((answer) => parseDecimal(String(answer)) ?? []);
  const value = readNumber(text);
  if (value === null) return 'doubtful';
  if (accepted.some((answer) => isSameNumber(value, answer))) return 'right';
  const otherwise = asDecimalComma(text);
  const mayBe = accepted.some(
    (answer) => isAbout(value, answer) || (otherwise !== null && isSameNumber(otherwise, answer)),
  );
  return mayBe ? 'doubtful' : 'wrong';
}

function compareWord(answer: string, text: string): Comparison {
  const read = plainWord(text);
  if (read === '') return 'doubtful';
  if (read === plainWord(answer)) return 'right';
  const hasMarkup = /[\\$^{}_]|<\/?su[bp]>/i.test(wordWithoutMarkup(text));
  return hasMarkup || (signs(text) !== '' && signs(text) === signs(answer)) ? 'doubtful' : 'wrong';
}

const plainWord = (text: string): string => foldWord(wordWithoutMarkup(text));

/** The letters and digits of a word alone. */
const signs = (text: string): string => plainWord(text).replace(/[^\p{L}\p{N}\p{M}]/gu, '');
