import { Decimal } from 'decimal.js';
import { parseDecimal } from './objectiveMarking.ts';

/*
 * How a value looks once somebody has transcribed it from a page: formulas in LaTeX, digits grouped as people group them by
 * hand, a full stop behind it. Nobody types that into a field, so typed answers know nothing of it.
 *
 * Each pattern takes its text in one go, and texts are short (500 characters): nothing here is slow.
 */

/** Rounds of taking one wrapping after the other off, `$\boxed{\text{42}}$.` has four. */
const MOST_WRAPPINGS = 10;

/** A text without what only dresses it up. What says something of the value, an exponent or a unit, stays. */
export function withoutMarkup(text: string): string {
  return untilStable(text, (part) =>
    undressed(part)
      .trim()
      .replace(/^(\$\$?)([\s\S]+)\1$/, '$2')
      .replace(/^\\\(([\s\S]*)\\\)$/, '$1')
      .replace(/^\\\[([\s\S]*)\\\]$/, '$1')
      .replace(/^(\*\*|__|["'`])([\s\S]+)\1$/, '$2')
      .replace(/^“([^“”]*)”$|^‘([^‘’]*)’$/, '$1$2')
      .replace(/\\(?:displaystyle|left|right|!)(?![A-Za-z])/g, '')
      .replace(/\\(?:[,;: ]|quad(?![A-Za-z]))/g, ' ')
      // One sign that ends a sentence; "3.14…" goes on, and is not 3.14.
      .replace(/(?<![.,;:…\s])\s*[.,;:]$/, ''),
  );
}

/** Commands that change how what they hold looks, and nothing of what it says. */
const DRESS =
  /\\(?:text|textrm|textbf|textit|textup|textsf|texttt|mathrm|mathbf|mathit|mathsf|mathtt|boxed|fbox|underline|emph|ce)\s*\{/;

/** A text without such commands, and without braces around the whole. Each round makes it shorter. */
function undressed(text: string): string {
  const command = DRESS.exec(text);
  const opens = command === null ? 0 : command.index + command[0].length - 1;
  const closes = closingBrace(text, opens);
  if (closes === null || (command === null && closes < text.length - 1)) return text;
  const before = text.slice(0, command?.index ?? 0);
  return undressed(`${before}${text.slice(opens + 1, closes)}${text.slice(closes + 1)}`);
}

/** Where the brace that opens at `at` closes; null where there is none, or it never does. */
function closingBrace(text: string, at: number): number | null {
  if (text.charAt(at) !== '{') return null;
  let depth = 0;
  for (let index = at; index < text.length; index += 1) {
    if (text.charAt(index) === '{') depth += 1;
    else if (text.charAt(index) === '}') depth -= 1;
    if (depth === 0) return index;
  }
  return null;
}

/** The same of a word, in which a subscript is only smaller: H_2O, C_{6}H_{12}, V_{max}, H<sub>2</sub>O. */
export function wordWithoutMarkup(text: string): string {
  return untilStable(text, (part) =>
    withoutMarkup(
      part
        .replace(/_\{([^{}]*)\}/g, '$1')
        .replace(/_(\p{N}+|\p{L}(?!\p{L}))/gu, '$1')
        .replace(/<sub>([^<>]*)<\/sub>/gi, '$1'),
    ),
  );
}

function untilStable(text: string, change: (text: string) => string): string {
  let before = text;
  for (let round = 0; round < MOST_WRAPPINGS; round += 1) {
    const after = change(before);
    if (after === before) break;
    before = after;
  }
  return before;
}

/** A number as a fraction of two exact ones; below 1 there is something only where a fraction was written. */
export interface WrittenNumber {
  above: Decimal;
  below: Decimal;
}

/** Digits enough that nothing which fits a field is ever rounded. */
const Exact = Decimal.clone({ precision: 1000 });

const SIGN = String.raw`[+\-\u2010-\u2013\u2212]?`;
const GROUPED = String.raw`(?:\p{Nd}{1,3}(?:,\p{Nd}{3})+|\p{Nd}{1,2}(?:,\p{Nd}{2})+,\p{Nd}{3})`;
const PLAIN = String.raw`(?:${GROUPED}|\p{Nd}+)(?:\.\p{Nd}*)?|\.\p{Nd}+`;
const WHOLE = String.raw`${SIGN}\p{Nd}{1,30}`;

/** 1,000 and 1,00,000: groups of three, or of two as in India. Elsewhere the comma is the decimal sign: see `asDecimalComma`. */
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
/** ½ by itself: in 1½ it would be half of something else. */
const FRACTION_SIGN = new RegExp(String.raw`^(${SIGN})([¼-¾⅐-⅞])$`, 'u');

/** The number that a transcribed text shows, exactly; null when it shows none, or anything beside it. */
export function readNumber(text: string): WrittenNumber | null {
  const plain = plainNumber(text);
  return decimalIn(plain) ?? powerIn(plain) ?? fractionIn(plain);
}

/** `{,}` is how LaTeX sets a comma between digits, and "=" leads to a result. */
function plainNumber(text: string): string {
  return withoutMarkup(withoutMarkup(text.replaceAll('{,}', ',')).replace(/^=/, ''));
}

function decimalIn(text: string): WrittenNumber | null {
  return wholeOf(WITH_GROUPS.test(text) ? text.replaceAll(',', '') : text);
}

function powerIn(text: string): WrittenNumber | null {
  const match = POWER_OF_TEN.exec(text);
  if (match === null) return null;
  const [, sign = '', times = '1', braced, bare, raised = ''] = match;
  const exponent = braced ?? bare ?? raised.normalize('NFKC');
  const digits = parseDecimal(exponent);
  if (digits === null || digits.abs().gt(MOST_EXPONENT)) return null;
  return wholeOf(`${sign}${times.replaceAll(',', '')}e${digits.toFixed()}`);
}

/** As far as `parseDecimal` goes. */
const MOST_EXPONENT = 999_999_999;

function fractionIn(text: string): WrittenNumber | null {
  const sign = FRACTION_SIGN.exec(text);
  const spelled = sign === null ? text : `${sign[1] ?? ''}${(sign[2] ?? '').normalize('NFKC')}`;
  const match = FRACTION.exec(spelled);
  if (match === null) return null;
  const [, minus = '', ...parts] = match;
  const [above, below] = parts.filter((part) => part !== undefined).map(parseDecimal);
  if (above == null || below == null || below.isZero()) return null;
  return { above: parseDecimal(`${minus}1`)?.isNegative() === true ? above.neg() : above, below };
}

function wholeOf(text: string): WrittenNumber | null {
  const above = parseDecimal(text);
  return above === null ? null : { above, below: new Decimal(1) };
}

export function isSameNumber({ above, below }: WrittenNumber, accepted: Decimal): boolean {
  return below.eq(1) ? above.equals(accepted) : new Exact(accepted).times(below).equals(above);
}

/** A fraction that the accepted number stands for as far as it has decimals: 1/3 and 0.33. */
export function isAbout({ above, below }: WrittenNumber, accepted: Decimal): boolean {
  if (below.eq(1)) return false;
  const last = new Exact(`1e-${accepted.decimalPlaces()}`);
  return new Exact(above).dividedBy(below).minus(accepted).abs().lt(last);
}

/** What a comma stands for that is taken as a sign between groups here, and for the decimal sign elsewhere. */
export function asDecimalComma(text: string): WrittenNumber | null {
  const plain = plainNumber(text);
  return /^[^,]*,[^,]*$/.test(plain) ? wholeOf(plain.replace(',', '.')) : null;
}
