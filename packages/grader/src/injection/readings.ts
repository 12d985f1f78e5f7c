import { asSeen } from './lookAlikes.ts';
import { LEET, repairWords } from './keyWords.ts';

/** A text as one may read it. */
export interface Reading {
  /** Lower case; white space is one space or one line break; look-alikes are the letters they look like. */
  text: string;
  /** Words written together or letter by letter: each run of them, letters only. */
  squashed: string[];
}

/** Thrice a typed answer (spec 4.7, rule 5), and the most of a copy that answers one question; no more is looked at. */
export const LONGEST = 60_000;
/** Of what was found encoded, in sum. */
const LONGEST_DECODED = 20_000;
const SHORTEST_SQUASHED = 12;

/**
 * The ways in which a text may be meant to be read: as it looks; with misspelt key words put right; what it holds in
 * base64, hexadecimal, percent signs, ROT13 or backwards. Linear in the length of the text.
 */
export function readingsOf(text: string): Reading[] {
  // Compatibility forms can be eighteen times as long.
  const cleaned = clean(text.slice(0, LONGEST)).slice(0, LONGEST);
  const readings = new Set<string>();
  for (const each of [cleaned, ...decodedIn(cleaned)]) {
    const level = levelled(each);
    readings.add(level);
    readings.add(repairWords(level));
    if (isColumn(level)) readings.add(repairWords(level.replaceAll('\n', ' ')));
    if (/znexf|vtaber|vafgehpg|ehoevp|tenqr|fpber/.test(level)) readings.add(rot13(level));
    if (/skram|erongi|tcurtsni|cirbur|edarg|erocs/.test(level))
      readings.add([...level].toReversed().join(''));
  }
  // Camel case is lost in lower case.
  const inPieces = squashedIn(cleaned);
  return [...readings].map((reading, index) => ({
    text: reading,
    squashed: index === 0 ? [...inPieces, ...squashedIn(reading)] : squashedIn(reading),
  }));
}

// oxlint-disable-next-line no-control-regex -- they split words for a program and for nobody who looks
const CONTROLS = /[\u0000-\u0008\u000E-\u001F\u007F-\u009F]/g;

/** Hidden letters brought to light, characters without a shape taken away, everything else as NFKC has it. */
function clean(text: string): string {
  return (
    text
      // Tag characters repeat ASCII invisibly; a model reads them, a person does not.
      .replace(/[\u{E0020}-\u{E007E}]/gu, (tag) => String.fromCodePoint((tag.codePointAt(0) ?? 0) - 0xe0000))
      .replace(/&#(?:x([0-9a-f]{1,6})|(\d{1,7}));/gi, (whole, hex?: string, decimal?: string) =>
        fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16), whole),
      )
      .replace(/&(lt|gt|quot|amp);/g, (_, name: string) => ENTITIES[name] ?? ' ')
      .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
      .normalize('NFKC')
      .replace(/\r\n?|[\u2028\u2029\u0085\v\f]/g, '\n')
      .replace(CONTROLS, '')
  );
}

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', quot: '"', amp: '&' };

function fromCodePoint(code: number, otherwise: string): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : otherwise;
}

/** Marks on Latin, Greek and Cyrillic letters and those for any letter; vowel signs of Devanagari are letters and stay. */
const ACCENTS = /(?:\p{Script=Inherited}|[\u0483-\u0489])/gu;

function levelled(cleaned: string): string {
  return asSeen(cleaned.normalize('NFD').replace(ACCENTS, '').normalize('NFC'))
    .toLowerCase()
    .replace(/\\(["'n])/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped))
    .replace(/[*`~_]+/g, ' ')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n[ \n]*/g, '\n')
    .trim();
}

/** One word a line, or two. */
function isColumn(text: string): boolean {
  const lines = text.split('\n').length;
  return lines >= 4 && text.length / lines < 12;
}

function rot13(text: string): string {
  return text.replace(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 84) % 26) + 97));
}

function decodedIn(cleaned: string): string[] {
  const found: string[] = [];
  let room = LONGEST_DECODED;
  const take = (decoded: string) => {
    // Words, and not the noise that any long token gives.
    if (room <= 0 || decoded.length < 8 || !/^[\x20-\x7E\s]+$/.test(decoded) || !decoded.includes(' '))
      return;
    found.push(decoded.slice(0, room));
    room -= decoded.length;
  };
  for (const [token] of cleaned.matchAll(/[A-Za-z0-9+/_-]{16,}/g)) {
    take(Buffer.from(token, /^(?:[0-9a-fA-F]{2})+$/.test(token) ? 'hex' : 'base64').toString('latin1'));
  }
  for (const [run] of cleaned.matchAll(/(?:%[0-9A-Fa-f]{2}){6,}/g)) {
    take(Buffer.from(run.replaceAll('%', ''), 'hex').toString('latin1'));
  }
  for (const [run] of cleaned.matchAll(/\b(?:[0-9A-Fa-f]{2} ){7,}[0-9A-Fa-f]{2}\b/g)) {
    take(Buffer.from(run.replaceAll(' ', ''), 'hex').toString('latin1'));
  }
  return found;
}

/** Letters set apart ("g i v e", "g.i.v.e", one a line) joined, and words that were written together. */
function squashedIn(text: string): string[] {
  const runs: string[] = [];
  let letters = '';
  const end = () => {
    if (letters.length >= SHORTEST_SQUASHED) runs.push(letters);
    letters = '';
  };
  for (const [token] of text.matchAll(/[^\s.,\-*|/·•+~]+/gu)) {
    if ([...token].length === 1) {
      const letter = token.toLowerCase();
      letters += /[a-z]/.test(letter) ? letter : (LEET[letter] ?? '');
      continue;
    }
    end();
    const word = token.replace(/[^a-z]/gi, '').toLowerCase();
    if (word.length >= SHORTEST_SQUASHED) runs.push(word);
  }
  end();
  return runs;
}
