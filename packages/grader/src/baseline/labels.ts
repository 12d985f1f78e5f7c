/**
 * Question labels at the start of a line, in the forms that candidates write and OCR reads: "Q1", "Q.1", "1.", "1)",
 * "(1)", "Ans 3", "Answer 3:", "2(a)", "3 (contd.)", "(b)", "Section B".
 *
 *   strong   a word marks it as a label (Q, Ans, Question)
 *   bare     only a number, which may also be a point of a list
 *   part     "(a)" or "(ii)", a part of the label before it
 *   section  a heading
 *   contd    only "contd."
 */
export type LabelKind = 'strong' | 'bare' | 'part' | 'section' | 'contd';

interface LineLabel {
  kind: LabelKind;
  written: string;
  continued: boolean;
  rest: string;
}

const ROMAN = '[ivx]{1,4}';
// "A3" and "A.3" are labels, "a 3 kg mass" is not. OCR reads Q as O, but "O2 is released" is chemistry.
const WORD = String.raw`(?:question|ques|quest|qn|q|answer|answe|answ|ans|ams|a(?=[.:\-]?\d)|o(?=\.?\s{0,10}\d{1,3}\s{0,10}[.:)]))`;
// No character can be matched by two neighbouring pieces, which prevents exponential backtracking.
const WORDS = String.raw`(?:${WORD}(?:[\s.]{0,4}(?:number|num|no|to))?[\s.:\-#,]{0,8}){1,3}`;
// A part in brackets, or a letter or Roman numeral at the end of the label.
const PARTS = String.raw`(?:\s{0,10}\(\s{0,10}(?:[a-z]|${ROMAN})\s{0,10}\)|(?<=\d)[.\-]?[a-h](?=[\s).:\]]|$)|\s{0,10}[.\-]?(?:[a-h]|${ROMAN})(?=\s{0,10}[).:\]]|\s{0,10}$))*`;
const CONTD = String.raw`(?:\s{0,10}[(\[]?\s{0,10}(?:continuation|continued|continue|contd|cont'd|cont)\b\.?\s{0,10}[)\]]?)`;
// OCR reads 1 as l, I, | or !; this is corrected only in the place of a number.
const GARBLED_ONE = String.raw`(?:[l|!]|(?<=q\.?)i)(?![\p{L}\p{N}])`;
const STRONG = new RegExp(
  String.raw`^\s{0,10}[(\[]?\s{0,10}(${WORDS}[(\[]?\s{0,10}(?:\d{1,3}|${GARBLED_ONE})[)\]]?${PARTS})(${CONTD})?(?![\p{L}\p{N}])`,
  'iu',
);
const BARE = new RegExp(
  String.raw`^\s{0,10}((?:[(\[]\s{0,10}\d{1,3}\s{0,10}[)\]]|\d{1,3}(?=\s{0,10}[.:)\]]|\s{0,10}\(\s{0,10}(?:[a-z]|${ROMAN})\s{0,10}\)|\s?[a-h]\s{0,10}[).:]|${CONTD}))${PARTS})(${CONTD})?(?![\p{L}\p{N}])`,
  'iu',
);
/** "3 - B", "3 B", "3 (b)" alone on a line: a number with a choice. */
const CHOICE = /^\s{0,10}(\d{1,3})\s{0,10}[-–—.:)]?\s{0,10}(\(?[A-E]\)?)\s{0,10}\.?\s{0,10}$/iu;
const PART = new RegExp(
  String.raw`^\s{0,10}(\(\s{0,10}(?:[a-z]|${ROMAN})\s{0,10}\)|(?:[a-h]|${ROMAN})\s{0,10}(?:[).](?![\p{L}\p{N}])|\)(?=\p{L}{2})))\s{0,10}`,
  'iu',
);
const SECTION =
  /^\s{0,10}((?:section|sec|part|group)\b\s{0,10}[-–—.:]?\s{0,10}["'“(]?(?:[A-Z]|[IVX]{1,4}|\d{1,2})["'”)]?)\s{0,10}[.:\-–—]{0,10}\s{0,10}$/iu;
const ONLY_CONTD = new RegExp(String.raw`^${CONTD}`, 'iu');
const DELIMITER = /^\s{0,10}[.:)\]\-–—=>]{0,10}\s{0,10}/u;

/** A number in a ring ("①" to "⑳") or in a box ("|5|"), as the reader gives them. */
const RINGED = /^\s{0,10}(?:([①-⑳])|\|\s{0,3}(\d{1,3})\s{0,3}\|)/u;

/** @param text a line as it was read */
export const readLabel = (text: string): LineLabel | null => {
  const line = text.replace(
    RINGED,
    (_, ring = '', boxed = '') => `${String(ring).normalize('NFKC')}${String(boxed)}. `,
  );
  const section = SECTION.exec(line);
  if (section?.[1] !== undefined) return { kind: 'section', written: section[1], continued: false, rest: '' };
  const choice = CHOICE.exec(line);
  if (choice?.[1] !== undefined && choice[2] !== undefined) {
    return { kind: 'bare', written: choice[1], continued: false, rest: choice[2] };
  }
  return (
    numbered('strong', STRONG, line) ?? numbered('bare', BARE, line) ?? onlyContinued(line) ?? partLabel(line)
  );
};

const numbered = (kind: 'strong' | 'bare', pattern: RegExp, line: string): LineLabel | null => {
  const match = pattern.exec(line);
  if (match?.[1] === undefined) return null;
  const after = line.slice(match[0].length);
  // "1.5 m" and "2:3" are numbers, not labels.
  if (kind === 'bare' && /^[.:]\d/u.test(after)) return null;
  // "Ans 2) A) Lemon": the number is closed, so the capital letter is a choice and no part of the label.
  const [, closed, chosen] = /^(.*\d\s{0,10}[)\].:])\s+([A-H])$/u.exec(match[1].trim()) ?? [];
  if (closed !== undefined && chosen !== undefined && match[2] === undefined) {
    return { kind, written: closed, continued: false, rest: `${chosen}${after}` };
  }
  return {
    kind,
    written: match[1].trim(),
    continued: match[2] !== undefined,
    rest: after.replace(DELIMITER, ''),
  };
};

const onlyContinued = (line: string): LineLabel | null => {
  const match = ONLY_CONTD.exec(line);
  if (match === null) return null;
  const rest = line.slice(match[0].length).replace(DELIMITER, '');
  return { kind: 'contd', written: match[0].trim(), continued: true, rest };
};

const partLabel = (line: string): LineLabel | null => {
  const match = PART.exec(line);
  if (match?.[1] === undefined) return null;
  return { kind: 'part', written: match[1], continued: false, rest: line.slice(match[0].length) };
};

export const labelKind = (written: string): LabelKind => {
  if (/^\W*\d/u.test(written)) return 'bare';
  if (SECTION.test(written)) return 'section';
  return PART.test(`${written} `) ? 'part' : 'strong';
};

const LEADING_WORDS = new RegExp(
  String.raw`^[\s(\[]{0,10}${WORDS}(?=[\s(\[]{0,10}(?:\d|[l|!](?![\p{L}\p{N}])))`,
  'iu',
);

/** Core of a label, by which written and printed labels are compared: "Q. 2 (a)" and "2a" both give "2a". */
export const labelCore = (label: string): string =>
  label
    .normalize('NFKC')
    .toLowerCase()
    .replace(new RegExp(`${CONTD}.*$`, 'iu'), '')
    .replace(/^([\s([]{0,10}q\.?)i(?![\p{L}\p{N}])/u, (_, before: string) => `${before}1`)
    .replace(LEADING_WORDS, '')
    .replace(/^[\s([]{0,10}o(?=\.?\s{0,10}\d)/u, '')
    .replace(/^[\s([]{0,10}[l|!](?=[^\p{L}\p{N}]|$)/u, '1')
    .replace(/[^\p{L}\p{N}]/gu, '');

/** The core and the cores of its parents: "2aii" gives 2aii, 2a, 2. */
export const coreAndParents = (core: string): string[] => {
  const [, number, part, more] = /^(\d+)(\p{L})(\p{L}*)$/u.exec(core) ?? [];
  if (number === undefined || part === undefined) return [core];
  return more === '' ? [core, number] : [core, number + part, number];
};
