interface HeadingLine {
  text: string;
  box: { y: number };
}

/** Share of the page's height in which a heading stands. */
const HEADING = 0.35;
const MOST_NUMBERS = 10;
const LONGEST = 64;

/** `Roll No. 2 6 0 4 1 7`, `Reg. number: AB-12`, `Candidate id 17`: the label, and what follows it. */
const LABELLED =
  /\b(?:roll|reg(?:istration|n)?|seat|admission|candidate|student|enrol?ment|index|exam)\b[\s.:]*(?:no|nr|number|id|code)?\b[\s.:#-]*(?<number>.*)$/iu;
/** `2 6 0 4 1 7`: single letters and digits, as boxes are read. */
const IN_BOXES = /^(?:[\p{L}\p{N}][\s|_[\]]+){2,}[\p{L}\p{N}]?$/u;
/** What a number may be made of: a digit, and no long words. */
const IS_NUMBER = /^(?=.*\p{N})[\p{L}\p{N}./_-]{1,64}$/u;

/**
 * Numbers in the heading of a page that may name a candidate: what follows a label such as "Roll No.", and rows of
 * boxes. Other numbers, such as those of marks and dates, are not taken.
 */
export const numbersOfHeading = (lines: readonly HeadingLine[]): string[] => {
  const numbers = lines
    .filter(({ box }) => box.y <= HEADING)
    .flatMap(({ text }) => {
      const trimmed = text.trim();
      if (IN_BOXES.test(trimmed)) return [joined(trimmed)];
      const number = LABELLED.exec(trimmed)?.groups?.['number'] ?? '';
      return [joined(number)];
    })
    .filter((number) => number.length <= LONGEST && IS_NUMBER.test(number));
  return [...new Set(numbers)].slice(0, MOST_NUMBERS);
};

/** Characters from boxes joined; of words, the first one. */
const joined = (text: string): string => {
  const parts = text.split(/[\s|_[\]]+/u).filter((part) => part !== '');
  const isBoxes = parts.every((part) => [...part].length <= 2);
  return (isBoxes ? parts.join('') : (parts[0] ?? '')).replace(/[.,:;]+$/u, '');
};
