import { exact } from './marks/exact.ts';

/** Credits for a page or a non-blank long answer without a contract price (docs/api/credits.md#prices). */
const STANDARD_CREDITS = 1;

/** Largest contract price of a page or answer: 200 answers, the most of a submission, stay far below `MAX_AMOUNT`. */
export const MAX_PRICE = 10_000_000;
/** Largest number of credits that the database stores. */
export const MAX_AMOUNT = 9_999_999_999.9999;
/** Leaves room for the largest credit limit, fully reserved, below `MAX_AMOUNT`. */
export const MAX_BALANCE = 8_000_000_000;

export interface Price {
  unit: 'page' | 'answer';
  credits: number;
  rate_source: 'standard' | 'contract';
}

/** @param contract credits per unit as text; null for the standard rate */
export const priceOf = (unit: Price['unit'], contract: string | null): Price =>
  contract === null
    ? { unit, credits: STANDARD_CREDITS, rate_source: 'standard' }
    : { unit, credits: exact(contract).toNumber(), rate_source: 'contract' };

export const pricesOf = (contract: {
  credits_per_page: string | null;
  credits_per_answer: string | null;
}): Record<Price['unit'], Price> => ({
  page: priceOf('page', contract.credits_per_page),
  answer: priceOf('answer', contract.credits_per_answer),
});

export const quoteFor = (
  price: Price,
  units: number,
): { credits: number; rate_source: Price['rate_source'] } => ({
  credits: exact(price.credits).times(units).toNumber(),
  rate_source: price.rate_source,
});
