import { Decimal } from 'decimal.js';
import { parseDecimal } from './objectiveMarking.ts';

/*
 * Notations of transcribed values: formulas in LaTeX, digits grouped as in handwriting, a full stop at the end. People
 * do not type these into a field, so typed answers do not accept them.
 *
 * Each pattern takes linear time, and texts have at most 500 characters.
 */

/** Most nested wrappings that are removed; `$\boxed{\text{42}}$.` has four. */
const MOST_WRAPPINGS = 10;

/** Removes markup that changes only the look of a value. Exponents and units are part of the value and stay. */
const withoutMarkup = (text: string): string =>
  untilStable(text, (part) =>
    undressed(part)
      .trim()
      .replace(/^(\$\$?)([\s\S]+)\1$/, '$2')
      .replace(/^\\\(([\s\S]*)\\\)$/, '$1')
      .replace(/^\\\[([\s\S]*)\\\]$/, '$1')
      .replace(/^(\*\*|__|["'`])([\s\S]+)\1$/, '$2')
      .replace(/^“([^“”]*)”$|^‘([^‘’]*)’$/, '$1$2')
      .replace(/\\(?:displaystyle|left|right|!)(?![A-Za-z])/g, '')
      .replace(/\\(?:[,;: ]|quad(?![A-Za-z]))/g, ' ')
      // One sign at the end of a sentence. "3.14…" has more and is not 3.14.
      .replace(/(?<![.,;:…\s])\s*[.,;:]$/, ''),
  );

/** LaTeX commands that change only the look of their content. */
const DRESS =
  /\\(?:text|textrm|textbf|textit|textup|textsf|texttt|mathrm|mathbf|mathit|mathsf|mathtt|boxed|fbox|underline|emph|ce)\s*\{/;

/** Removes such commands, and braces around the whole. Each round makes the text shorter. */
const undressed = (text: string): string => {
  const command = DRESS.exec(text);
  const opens = command === null ? 0 : command.index + command[0].length - 1;
  const closes = closingBrace(text, opens);
  if (closes === null || (command === null && closes < text.length - 1)) return text;
  const before = text.slice(0, command?.index ?? 0);
  return undressed(`${before}${text.slice(opens + 1, closes)}${text.slice(closes + 1)}`);
};

/** Index of the brace that closes the one at `at`; null if there is none. */
const closingBrace = (text: string, at: number): number | null => {
  if (text.charAt(at) !== '{') return null;
  let depth = 0;
  for (let index = at; index < text.length; index += 1) {
    if (text.charAt(index) === '{') depth += 1;
    else if (text.charAt(index) === '}') depth -= 1;
    if (depth === 0) return index;
  }
  return null;
};

/**
 * `withoutMarkup` for a word, in which a subscript changes only the look: H_2O, C_{6}H_{12}, V_{max}, H<sub>2</sub>O.
 */
export const wordWithoutMarkup = (text: string): string =>
  untilStable(text, (part) =>
    withoutMarkup(
      part
        .replace(/_\{([^{}]*)\}/g, '$1')
        .replace(/_(\p{N}+|\p{L}(?!\p{L}))/gu, '$1')
        .replace(/<sub>([^<>]*)<\/sub>/gi, '$1'),
    ),
  );

const untilStable = (text: string, change: (text: string) => string): string => {
  let before = text;
  for (let round = 0; round < MOST_WRAPPINGS; round += 1) {
    const after = change(before);
    if (after === before) break;
    before = after;
  }
  return before;
};

/** A number as a fraction of two exact decimals; `below` is 1 unless a fraction was written. */
interface WrittenNumber {
  above: Decimal;
  below: Decimal;
}

/** Enough digits for any number that fits into a field without rounding. */
const Exact = Decimal.clone({ precision: 1000 });

const SIGN = String.raw`[+\-\u2010-\u2013\u2212]?`;
const GROUPED = String.raw`(?:\p{Nd}{1,3}(?:,\p{Nd}{3})+|\p{Nd}{1,2}(?:,\p{Nd}{2})+,\p{Nd}{3})`;
const PLAIN = String.raw`(?:${GROUPED}|\p{Nd}+)(?:\.\p{Nd}*)?|\.\p{Nd}+`;
const WHOLE = String.raw`${SIGN}\p{Nd}{1,30}`;

/** 1,000 and 1,00,000: groups of three, or of two as in India. For the comma as decimal sign see `asDecimalComma`. */
const WITH_GROUPS = new RegExp(String.raw`^${SIGN}${GROUPED}(?:\.\p{Nd}*)?$`, 'u');
/** 3 × 10^8, and 10^{-4} alone. */
const POWER_OF_TEN = new RegExp(
  String.raw`^(${SIGN})(?:(${PLAIN})\s*(?:\\times|\\cdot|[×·⋅*xX])\s*)?10\s*(?:\^\s*(?:\{\s*(${WHOLE})\s*\}|(${WHOLE}))|([⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,9}))$`,
  'u',
);
/** \frac{1}{2}, \frac12, 1/2. */
const FRACTION = new RegExp(
  String.raw`^(${SIGN})\s*(?:\\[dtc]?frac\s*(?:\{\s*(${WHOLE})\s*\}\s*\{\s*(\p{Nd}{1,30})\s*\}|(\p{Nd})\s*(\p{Nd}))|(\p{Nd}{1,30})\s*[/\u2044\u2215]\s*(\p{Nd}{1,30}))$`,
  'u',
);
/** ½ alone; 1½ is refused. */
const FRACTION_SIGN = new RegExp(String.raw`^(${SIGN})([¼-¾⅐-⅞])$`, 'u');

/** The exact number that a transcribed text shows; null if it shows none or anything else. */
export const readNumber = (text: string): WrittenNumber | null => {
  const plain = plainNumber(text);
  return decimalIn(plain) ?? powerIn(plain) ?? fractionIn(plain);
};

/** LaTeX writes a comma between digits as `{,}`. A leading "=" precedes a result. */
const plainNumber = (text: string): string =>
  withoutMarkup(withoutMarkup(text.replaceAll('{,}', ',')).replace(/^=/, ''));

const decimalIn = (text: string): WrittenNumber | null =>
  wholeOf(WITH_GROUPS.test(text) ? text.replaceAll(',', '') : text);

const powerIn = (text: string): WrittenNumber | null => {
  const match = POWER_OF_TEN.exec(text);
  if (match === null) return null;
  const [, sign = '', times = '1', braced, bare, raised = ''] = match;
  const exponent = braced ?? bare ?? raised.normalize('NFKC');
  const digits = parseDecimal(exponent);
  if (digits === null || digits.abs().gt(MOST_EXPONENT)) return null;
  return wholeOf(`${sign}${times.replaceAll(',', '')}e${digits.toFixed()}`);
};

/** Largest exponent that `parseDecimal` takes. */
const MOST_EXPONENT = 999_999_999;

const fractionIn = (text: string): WrittenNumber | null => {
  const sign = FRACTION_SIGN.exec(text);
  const spelled = sign === null ? text : `${sign[1] ?? ''}${(sign[2] ?? '').normalize('NFKC')}`;
  const match = FRACTION.exec(spelled);
  if (match === null) return null;
  const [, minus = '', ...parts] = match;
  const [above, below] = parts.filter((part) => part !== undefined).map(parseDecimal);
  if (above == null || below == null || below.isZero()) return null;
  return { above: parseDecimal(`${minus}1`)?.isNegative() === true ? above.neg() : above, below };
};

const wholeOf = (text: string): WrittenNumber | null => {
  const above = parseDecimal(text);
  return above === null ? null : { above, below: new Decimal(1) };
};

export const isSameNumber = ({ above, below }: WrittenNumber, accepted: Decimal): boolean =>
  below.eq(1) ? above.equals(accepted) : new Exact(accepted).times(below).equals(above);

/** Whether the fraction equals the accepted decimal up to its last decimal place: 1/3 and 0.33. */
export const isAbout = ({ above, below }: WrittenNumber, accepted: Decimal): boolean => {
  if (below.eq(1)) return false;
  const last = new Exact(`1e-${accepted.decimalPlaces()}`);
  return new Exact(above).dividedBy(below).minus(accepted).abs().lt(last);
};

/** The number if its only comma is a decimal sign. */
export const asDecimalComma = (text: string): WrittenNumber | null => {
  const plain = plainNumber(text);
  return /^[^,]*,[^,]*$/.test(plain) ? wholeOf(plain.replace(',', '.')) : null;
};
