/**
 * The words that instructions to a grader are made of, known again when they are disguised or misspelt: digits and
 * signs for letters, l for i, letters swapped inside a word or left out. Other words stay as they are, so this changes
 * little in an honest answer.
 */
const KEY_WORDS = `
  ignore disregard forget override previous prior above instruction instructions rules rubric criteria
  criterion prompt system grader examiner evaluator marker give award grant assign score grade mark
  marks points credit full maximum highest perfect complete please kindly answer response student
  candidate this all and me correct teacher everything guidelines marking grading pass
`
  .trim()
  .split(/\s+/);
const SHORT_FORMS = new Map([
  ['giv', 'give'],
  ['gimme', 'give me'],
  ['ful', 'full'],
  ['fulll', 'full'],
  ['pls', 'please'],
  ['plz', 'please'],
  ['plss', 'please'],
  ['pleez', 'please'],
  ['marx', 'marks'],
  ['mrks', 'marks'],
  ['markz', 'marks'],
]);

/** Digits and signs that stand for the letters they resemble. */
export const LEET: Record<string, string> = {
  '0': 'o',
  '1': 'i',
  '!': 'i',
  '|': 'i',
  '3': 'e',
  '4': 'a',
  '@': 'a',
  '5': 's',
  $: 's',
  '7': 't',
  '+': 't',
  '8': 'b',
};

const skeleton = (word: string): string =>
  word
    .replace(/[^a-z]/g, (sign) => LEET[sign] ?? sign)
    .replaceAll('l', 'i')
    .replace(/(.)\1+/g, '$1');

const swapped = (word: string): string =>
  word.slice(0, 1) + word.slice(1, -1).split('').sort().join('') + word.slice(-1);

const BY_SKELETON = new Map(KEY_WORDS.map((word) => [skeleton(word), word]));
const BY_LETTERS = new Map(
  KEY_WORDS.filter(({ length }) => length >= 6).map((word) => [swapped(word), word]),
);
const WITH_ONE_LEFT_OUT = new Map(
  KEY_WORDS.filter(({ length }) => length >= 8).flatMap((word) =>
    [...word].map((_, at): [string, string] => [word.slice(0, at) + word.slice(at + 1), word]),
  ),
);
const KNOWN = new Set(KEY_WORDS);

/** The text, levelled, with each disguised key word in its plain spelling. */
export function repairWords(text: string): string {
  return text.replace(/[a-z0-9@$!|+]{2,24}/g, (token) => {
    if (KNOWN.has(token)) return token;
    const short = SHORT_FORMS.get(token);
    if (short !== undefined) return short;
    if (!/[a-z]/.test(token)) return token;
    const end = /[!|+]*$/.exec(token)?.index ?? token.length;
    const word = token.slice(0, end);
    const disguised = /[^a-z]/.test(word);
    // Short words are too alike ("all" and "ail") unless a digit among their letters gives them away.
    if (!disguised && word.length < 4) return token;
    const meant =
      BY_SKELETON.get(skeleton(word)) ?? BY_LETTERS.get(swapped(word)) ?? WITH_ONE_LEFT_OUT.get(word) ?? null;
    return meant === null ? token : meant + token.slice(end);
  });
}
