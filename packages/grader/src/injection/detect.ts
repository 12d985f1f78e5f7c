import { IMITATIONS } from './imitations.ts';

/** Review reason: the model reported that the answer addresses its grader, or the text imitates a prompt. */
export const POSSIBLE_INJECTION = 'possible_injection';

/** Searched characters of a text: three times the longest typed answer. */
export const LONGEST = 60_000;

/**
 * Whether a text imitates the structure of a prompt (imitations.ts). Plain requests for marks are reported by the model
 * in `addresses_grader`; neither changes marks. The time is linear in the length of the text.
 */
export const imitatesPrompt = (text: string): boolean => imitationIn(text) !== null;

export const imitationIn = (text: string): string | null => {
  const levelled = level(text.slice(0, LONGEST)).slice(0, LONGEST);
  return IMITATIONS.find(({ pattern }) => pattern.test(levelled))?.name ?? null;
};

// oxlint-disable-next-line no-control-regex -- they split words for a program and are invisible to a reader
const CONTROLS = /[\u0000-\u0008\u000E-\u001F\u007F-\u009F]/g;

/** Lower case without invisible characters, compatibility forms, markup and repeated spaces. */
const level = (text: string): string =>
  text
    // Tag characters are invisible copies of ASCII, which a model reads.
    .replace(/[\u{E0020}-\u{E007E}]/gu, (tag) => String.fromCodePoint((tag.codePointAt(0) ?? 0) - 0xe0000))
    .replace(/&(lt|gt|quot|amp);/g, (_, name: string) => ENTITIES[name] ?? ' ')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .normalize('NFKC')
    .replace(/\r\n?|[\u2028\u2029\u0085\v\f]/g, '\n')
    .replace(CONTROLS, '')
    .toLowerCase()
    .replace(/\\(["'n])/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped))
    .replace(/[*`~_]+/g, ' ')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n[ \n]*/g, '\n')
    .trim();

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', quot: '"', amp: '&' };
