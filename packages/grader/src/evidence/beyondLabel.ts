/** Words before the number of a question: "Q.", "Ans to", "Question no.". */
const WORDS = /^(?:[\s.:\-–#,([]*(?:question|ques|quest|qn|q|answer|answ|ans|number|num|no|to)(?!\p{L}))+/iu;
/** Characters of a written label. */
const LONGEST_LABEL = 20;
const CONTINUED = /^[([]?\s*cont/iu;

/** What a written label has beyond the question's own: "(b)" of "Q.3 (b)" for question 3; '' for any other label. */
export const beyondLabel = (written: string, own: string): string => {
  const core = coreOf(own);
  if (core === '') return '';
  for (let end = 1; end < written.length; end += 1) {
    if (coreOf(written.slice(0, end)) !== core) continue;
    if (isOneWord(written.charAt(end - 1), written.charAt(end))) continue;
    const rest = written
      .slice(end)
      .replace(/^[\s.:)\]\-–—=>,]+/u, '')
      .trim();
    return CONTINUED.test(rest) ? '' : rest;
  }
  return '';
};

const NUMBERED = /^\W*(\d{1,2})\s*[.):\]]/u;

/**
 * Whether a later line of another answer begins with the question's own label: "2.42" after "B" may be the answer 42 to
 * question 2. Lines that are numbered from 1 are a list.
 */
export const holdsLabel = (text: string, own: string): boolean => {
  const lines = text.split('\n');
  const first = lines.map((line) => NUMBERED.exec(line)?.[1]).find((number) => number !== undefined);
  return first !== '1' && lines.slice(1).some((line) => beginsWithLabel(line, own));
};

const beginsWithLabel = (line: string, own: string): boolean => {
  const core = coreOf(own);
  const ends = [...line.matchAll(/[.):\]]/gu)].map(({ index }) => index);
  return core !== '' && ends.some((end) => end <= LONGEST_LABEL && coreOf(line.slice(0, end)) === core);
};

/** Normalizes a label: no case, spaces, punctuation, "Q", "Ans" or "No."; "Q. 2 (a)" and "2a" both give "2a". */
const coreOf = (label: string): string =>
  label
    .normalize('NFKC')
    .toLowerCase()
    .replace(WORDS, '')
    .replace(/[^\p{L}\p{N}]/gu, '');

/** Two digits or two letters: a label cannot end between them. */
const isOneWord = (before: string, after: string): boolean =>
  /^(?:\p{N}\p{N}|\p{L}\p{L})$/u.test(before + after);

/** Whether a label ends like a choice: "3 (b)", "3. B", "3b". */
export const endsInChoice = (label: string): boolean =>
  /\p{N}[\s.:)\]\-–—]{0,5}\(?\s?[a-h]\s?\)?[.)]?\s*$/iu.test(label);
