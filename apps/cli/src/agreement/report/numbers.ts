import type { Estimate } from '../statistics/bootstrap.ts';

const DASH = '–';
const MINUS = '−';

export const decimal = (value: number | null, digits = 2): string =>
  value === null
    ? DASH
    : value
        .toFixed(digits)
        .replace(/^-(0(?:\.0+)?)$/, '$1')
        .replace('-', MINUS);

export const signed = (value: number | null, digits = 2): string =>
  value !== null && Number(value.toFixed(digits)) > 0 ? `+${decimal(value, digits)}` : decimal(value, digits);

export const percent = (value: number | null): string =>
  value === null ? DASH : `${Math.round(value * 100)} %`;

export const signedPercent = (value: number | null): string =>
  value === null ? DASH : `${signed(value * 100, 1)} %`;

type Format = (value: number | null) => string;

/** Such as "0.71 to 0.84"; empty if there is no interval. */
export const interval = ({ low, high }: Estimate, format: Format): string =>
  low === null || high === null ? '' : `${format(low)} to ${format(high)}`;

/** Such as "0.78 (0.71 to 0.84)". */
export const withInterval = (estimate: Estimate, format: Format): string => {
  const range = interval(estimate, format);
  return range === '' ? format(estimate.value) : `${format(estimate.value)} (${range})`;
};
