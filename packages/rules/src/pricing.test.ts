import { expect, test } from 'vitest';
import { pricesOf, quoteFor } from './pricing.ts';

const standard = { credits_per_page: null, credits_per_answer: null };

test('without a contract, a page and a long answer cost one credit each, at the standard rate', () => {
  expect(pricesOf(standard)).toEqual({
    page: { unit: 'page', credits: 1, rate_source: 'standard' },
    answer: { unit: 'answer', credits: 1, rate_source: 'standard' },
  });
});

test('a contract price applies to its own unit only, and 0 is a valid price', () => {
  expect(pricesOf({ ...standard, credits_per_answer: '0.6500' })).toMatchObject({
    page: { credits: 1, rate_source: 'standard' },
    answer: { credits: 0.65, rate_source: 'contract' },
  });
  expect(pricesOf({ ...standard, credits_per_page: '0' }).page).toEqual({
    unit: 'page',
    credits: 0,
    rate_source: 'contract',
  });
});

test('a quote is an exact decimal for any price and number of units', () => {
  const { page } = pricesOf({ ...standard, credits_per_page: '0.1' });
  for (let units = 0; units <= 2000; units += 1) {
    expect(String(quoteFor(page, units).credits)).toBe(
      units % 10 === 0 ? String(units / 10) : `${Math.floor(units / 10)}.${units % 10}`,
    );
  }
});
