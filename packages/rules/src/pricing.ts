import { exact } from './marks/exact.ts';

/** docs/api/credits.md#prices: 1 credit a page, 1 credit a non-blank long answer, unless the institute is on a contract price. */
const STANDARD_CREDITS = 1;

/** A contract price of one page or answer. 200 answers, the most of one submission, stay far below `MAX_AMOUNT`. */
export const MAX_PRICE = 10_000_000;
/** The largest number of credits that the database keeps. */
export const MAX_AMOUNT = 9_999_999_999.9999;
/** With the largest credit limit and all of it committed, still below `MAX_AMOUNT`. */
export const MAX_BALANCE = 8_000_000_000;

export interface Price {
  unit: 'page' | 'answer';
  credits: number;
  rate_source: 'standard' | 'contract';
}

/** The price of one unit. @param contract credits per unit as text, null at the standard rate. */
export const priceOf = (unit: Price['unit'], contract: string | null): Price =>
  contract === null
    ? { unit, credits: STANDARD_CREDITS, rate_source: 'standard' }
    : { unit, credits: exact(contract).toNumber(), rate_source: 'contract' };

/** What an institute pays, by unit. @param contract its contract prices as the table has them */
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
