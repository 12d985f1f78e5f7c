/*
 * The paper's own words are not the candidate's. Some papers are answered on the sheet that holds the questions, and
 * some candidates copy the question: its words would count as key words of the answer.
 */

/** Lines of the paper that belong to no question: marks, page numbers, headings and footers. */
const FURNITURE =
  /^\W*(?:\d{1,2}\s*marks?|page\s*(?:no\W*)?\d{1,3}(?:\s*of\s*\d{1,3})?|end\s+of\s+(?:the\s+)?(?:task|test|paper|exam(?:ination)?|questions?)|(?:please\s+)?turn\s+over|p\W?t\W?o)\W*$/iu;
/** "(3 marks)" and "[3 marks]" at the end of a line. */
const MARKS_AT_END = /\s*[([]\s*\d{1,2}\s*marks?\s*[)\]]\s*$/iu;
/** Words of a line that must be the question's next words, as a share; a reader misreads some. */
const SHARE = 0.8;
/** Words of the question that the lines must hold together, at least and as a share: fewer may be the answer's own. */
const LEAST_WORDS = 4;
/** Words of a question that is short and stands there whole, at least. */
const SHORT = 3;
const COVERED = 0.7;
/** Words of the question that a line may skip, and words of a line that the question does not have, in a row. */
const MOST_SKIPPED = 2;

interface Option {
  label: string;
  text: string;
}

/**
 * The texts of an answer's blocks without the printed question at the beginning and without the paper's marks, page
 * numbers and footers. Words of the question inside the answer stay: only whole lines at the beginning go, if they are
 * the question's words in their order, with or without its options. One option alone is an answer and stays.
 * @returns one text for each block
 */
export const withoutPrint = (
  blocks: readonly string[],
  question: string,
  options: readonly Option[] = [],
): string[] => {
  const lines = blocks
    .flatMap((text, block) => text.split('\n').map((line) => ({ block, line })))
    .filter(({ line }) => !FURNITURE.test(line));
  const left = lines.slice(
    printedLines(
      lines.map(({ line }) => line),
      wordsOf(question),
      options.flatMap(({ label, text }) => wordsOf(`${label} ${text}`)),
    ),
  );
  return blocks.map((_, at) =>
    left
      .filter(({ block }) => block === at)
      .map(({ line }) => line.replace(MARKS_AT_END, ''))
      .join('\n'),
  );
};

/** How many lines at the beginning are the question, with all its options or with none. */
const printedLines = (
  lines: readonly string[],
  question: readonly string[],
  options: readonly string[],
): number => {
  // An answer that takes the question up ("The two laws are") begins otherwise than the question.
  if (!isSame(wordsOf(lines[0] ?? '')[0] ?? '', question[0] ?? '')) return 0;
  const isCovered = ({ held }: Match): boolean => {
    const { length } = held.filter((at) => at < question.length);
    return (
      length >= Math.max(LEAST_WORDS, question.length * COVERED) ||
      (length >= SHORT && length === question.length)
    );
  };
  const withOptions = match(lines, [...question, ...options]);
  const ofOptions = withOptions.held.filter((at) => at >= question.length).length;
  const best = ofOptions >= Math.max(1, options.length * COVERED) ? withOptions : match(lines, question);
  return isCovered(best) ? best.lines : 0;
};

interface Match {
  lines: number;
  /** Positions of the words of the print that the lines hold. */
  held: number[];
}

/** The first lines that are the print in its order. */
const match = (lines: readonly string[], print: readonly string[]): Match => {
  const held: number[] = [];
  let count = 0;
  for (const line of lines) {
    const words = wordsOf(line.replace(MARKS_AT_END, ''));
    const found = follow(words, print, (held.at(-1) ?? -1) + 1);
    if (found.length === 0 || found.length < words.length * SHARE) break;
    held.push(...found);
    count++;
  }
  return { lines: count, held };
};

/** Positions of the print's words, from `next` on, that are the given words in order. */
const follow = (words: readonly string[], print: readonly string[], next: number): number[] => {
  const found: number[] = [];
  for (const word of words) {
    const from = found.length === 0 ? next : (found.at(-1) ?? 0) + 1;
    const ahead = print.slice(from, from + MOST_SKIPPED + 1).findIndex((other) => isSame(word, other));
    if (ahead !== -1) found.push(from + ahead);
  }
  return found;
};

const wordsOf = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

/** Equal, or one misread letter in five. */
const isSame = (a: string, b: string): boolean => {
  if (a === b) return true;
  const longer = Math.max(a.length, b.length);
  return longer >= 5 && a.length === b.length && differences(a, b) <= longer / 5;
};

const differences = (a: string, b: string): number =>
  [...a].reduce((count, letter, at) => count + (letter === b[at] ? 0 : 1), 0);
