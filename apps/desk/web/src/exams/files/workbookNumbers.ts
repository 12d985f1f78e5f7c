import { DATE_MARK } from './cellProblems.ts';

/** The code of a number format, such as `General`, `0000` or `dd/mm/yyyy`. */
export type NumberFormat = string;

/** Built-in formats of dates and times (ECMA-376, part 1, 18.8.30). Others are numbers with digits or percents. */
const isBuiltInDate = (id: number): boolean =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58);

const isPercent = (id: number): boolean => id === 9 || id === 10;

/** Formats by the number of the style of a cell. */
export const formatsIn = (styles: Document): NumberFormat[] => {
  const own = new Map(
    [...styles.getElementsByTagNameNS('*', 'numFmt')].map((one) => [
      one.getAttribute('numFmtId'),
      one.getAttribute('formatCode') ?? 'General',
    ]),
  );
  const [list] = styles.getElementsByTagNameNS('*', 'cellXfs');
  return [...(list?.getElementsByTagNameNS('*', 'xf') ?? [])].map((style) => {
    const id = style.getAttribute('numFmtId') ?? '0';
    if (isBuiltInDate(Number(id))) return 'yyyy-mm-dd';
    return own.get(id) ?? (isPercent(Number(id)) ? '0%' : 'General');
  });
};

/** Letters of dates outside quoted texts, escaped signs, colours and conditions. */
const isDate = (format: NumberFormat): boolean =>
  /[dmyhs]/i.test(format.replaceAll(/"[^"]*"|\\.|_.|\*.|\[[^\]]*\]|General/gi, ''));

/**
 * The digits of a number cell. A format of zeros keeps leading zeros, as Excel shows them. A date gets `DATE_MARK`,
 * since Excel makes dates of texts such as `3-5`, which cannot be told from their number. A number of more than 15
 * digits keeps its exponent, since Excel has lost its last digits.
 */
export const shownNumber = (value: string, format: NumberFormat): string => {
  const number = Number(value);
  if (!Number.isFinite(number)) return value;
  if (isDate(format)) return `${DATE_MARK}${dateOf(number)}`;
  if (Math.abs(number) >= 1e15) return number.toExponential().replace('e', 'E');
  if (format.includes('%')) return `${digits(number * 100)}%`;
  const zeros = /^0+$/.exec(format)?.[0].length ?? 0;
  if (zeros > 1)
    return `${number < 0 ? '-' : ''}${digits(Math.abs(Math.round(number))).padStart(zeros, '0')}`;
  return digits(number);
};

/** Excel keeps 15 digits; more are errors of binary fractions, such as 0.30000000000000004. */
const digits = (number: number): string => {
  const rounded = Number(number.toPrecision(15));
  return Math.abs(rounded) < 1e-6 && rounded !== 0 ? rounded.toFixed(12).replace(/0+$/, '') : String(rounded);
};

const MS_PER_DAY = 86_400_000;

const dateOf = (serial: number): string => {
  const time = new Date(Date.UTC(1899, 11, 30) + Math.round(serial * MS_PER_DAY));
  return Number.isNaN(time.getTime()) ? String(serial) : time.toISOString().slice(0, 10);
};
