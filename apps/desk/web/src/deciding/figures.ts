import { localeNow } from '../app/language.ts';

/** Numbers as people of the chosen language write them. `null` has no value and is shown as a dash. */
const shown = (value: number | null | undefined, options: Intl.NumberFormatOptions): string =>
  value == null ? '–' : new Intl.NumberFormat(localeNow(), options).format(value);

export const percent = (share: number | null | undefined): string =>
  shown(share, { style: 'percent', maximumFractionDigits: 0 });

export const marks = (value: number | null | undefined): string => shown(value, { maximumFractionDigits: 2 });

export const signed = (value: number | null | undefined): string =>
  shown(value, { maximumFractionDigits: 2, signDisplay: 'exceptZero' });

export const count = (value: number | null | undefined): string => shown(value, {});
