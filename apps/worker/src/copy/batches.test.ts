import { expect, test } from 'vitest';
import { batchesOf } from './batches.ts';

const copy = (pages: number, clean: number[] = []) =>
  Array.from({ length: pages }, (_, index) => ({
    page: index + 1,
    state: clean.includes(index + 1) ? ('clean' as const) : ('written' as const),
  }));
/** Page numbers of each batch: [context, ...pages]. */
const numbers = (pages: number, { clean = [], known = [], size = 4 }: Partial<Plan> = {}) =>
  batchesOf(copy(pages, clean), new Set(known), size).map((batch) => [
    batch.context?.page ?? null,
    ...batch.pages.map(({ page }) => page),
  ]);
type Plan = { clean: number[]; known: number[]; size: number };

test('each page is read once, and each batch after the first has the page before it as context', () => {
  expect(numbers(10)).toEqual([
    [null, 1, 2, 3, 4],
    [4, 5, 6, 7, 8],
    [8, 9, 10],
  ]);
});

test('the context is the last written page before the batch', () => {
  expect(numbers(9, { clean: [3, 4] })).toEqual([
    [null, 1, 2, 3, 4],
    [2, 5, 6, 7, 8],
    [8, 9],
  ]);
  expect(numbers(6, { clean: [1, 2, 3, 4] })).toEqual([
    [null, 1, 2, 3, 4],
    [null, 5, 6],
  ]);
});

test('pages up to the 40th and those after it never share a batch', () => {
  expect(numbers(44, { size: 3 }).slice(-3)).toEqual([
    [39, 40],
    [40, 41, 42, 43],
    [43, 44],
  ]);
});

test('pages recorded by an earlier delivery are not read again, and all others are read', () => {
  expect(numbers(12, { known: [5, 6, 7, 8] })).toEqual([
    [null, 1, 2, 3, 4],
    [8, 9, 10, 11, 12],
  ]);
  expect(numbers(4, { known: [1, 2, 3, 4] })).toEqual([]);
  // Other batches were recorded, as with another setting of their size.
  expect(numbers(6, { known: [1, 3] })).toEqual([
    [1, 2],
    [3, 4, 5, 6],
  ]);
});
