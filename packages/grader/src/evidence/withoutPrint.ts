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
const COVERED = 0.7;
/** Words of the question that a line may skip, and words of a line that the question does not have, in a row. */
const MOST_SKIPPED = 2;

/**
 * The texts of an answer's blocks without the printed question at the beginning and without the paper's marks, page
 * numbers and footers. Words of the question inside the answer stay: only whole lines at the beginning go, if they are
 * the question's words in their order.
 * @param question its text
 * @returns one text for each block
 */
export const withoutPrint = (blocks: readonly string[], question: string): string[] => {
  const lines = blocks
    .flatMap((text, block) => text.split('\n').map((line) => ({ block, line })))
    .filter(({ line }) => !FURNITURE.test(line));
  const printed = printedLines(
    lines.map(({ line }) => line),
    wordsOf(question),
  );
  const left = lines.slice(printed);
  return blocks.map((_, at) =>
    left
      .filter(({ block }) => block === at)
      .map(({ line }) => line.replace(MARKS_AT_END, ''))
      .join('\n'),
  );
};

/** How many lines at the beginning are the question. */
const printedLines = (lines: readonly string[], question: readonly string[]): number => {
  let next = 0;
  let matched = 0;
  let count = 0;
  for (const line of lines) {
    const words = wordsOf(line.replace(MARKS_AT_END, ''));
    if (words.length === 0) break;
    const found = follow(words, question, next);
    if (found.matched < words.length * SHARE || found.matched === 0) break;
    next = found.next;
    matched += found.matched;
    count++;
  }
  // An answer that takes the question up ("The two laws are") begins otherwise than the question.
  const begins = isSame(wordsOf(lines[0] ?? '')[0] ?? '', question[0] ?? '');
  const least = Math.max(LEAST_WORDS, question.length * COVERED);
  return begins && matched >= least ? count : 0;
};

/** Matches words with the question's words from `next` on, in order. */
const follow = (words: readonly string[], question: readonly string[], next: number) => {
  let matched = 0;
  let at = next;
  for (const word of words) {
    const ahead = question.slice(at, at + MOST_SKIPPED + 1).findIndex((other) => isSame(word, other));
    if (ahead === -1) continue;
    at += ahead + 1;
    matched++;
  }
  return { matched, next: at };
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
