import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { measure } from './measure.ts';
import { EXAMPLE_PRICES, EXAMPLE_SECOND_LOOKS, PAGE, tableOf } from './page.ts';
import { callsTable, costsOf, tokensTable } from './table.ts';
import { cachedOf, tokensOfPicture } from './tokens.ts';

/** Allowed difference from the tokens on the page, so that a changed word in a prompt needs no new measurement. */
const TOLERANCE = 0.03;

test('docs/model-costs.md states the calls of each kind exactly, and tokens within 3 %', async () => {
  const page = readFileSync(new URL(`../../../${PAGE}`, import.meta.url), 'utf8');
  // The copy of 40 pages is left out: it costs more CPU than all other papers together.
  const measured = await measure({ pictures: 'tiles', detail: 'high' }, (paper) => (paper.pages ?? 0) < 40);
  const costs = measured.map((paper) => costsOf(paper, EXAMPLE_SECOND_LOOKS, EXAMPLE_PRICES));
  expect(costs.length).toBeGreaterThan(5);

  const remedy = 'measure again: npm run costs -- --write';
  expect(tableOf(page, 'calls'), remedy).toMatchObject(tableOf(callsTable(costs), 'calls'));
  const documented = tableOf(page, 'tokens');
  for (const [paper, now] of Object.entries(tableOf(tokensTable(costs), 'tokens'))) {
    // Columns of input, pictures and output. The shares follow from the words of the first two candidates.
    for (const column of [0, 1, 4]) {
      const [was = Number.NaN, is = Number.NaN] = [documented[paper]?.[column], now[column]];
      expect(
        Math.abs(is - was),
        `${paper}: ${was} on the page, ${is} measured; ${remedy}`,
      ).toBeLessThanOrEqual(TOLERANCE * is);
    }
  }
});

test.each([
  { width: 1024, height: 1024, detail: 'high', by: 'tiles', tokens: 765 },
  { width: 2048, height: 4096, detail: 'high', by: 'tiles', tokens: 1105 },
  { width: 4096, height: 8192, detail: 'low', by: 'tiles', tokens: 85 },
  { width: 1024, height: 1024, detail: 'high', by: 'patches', tokens: Math.ceil(1024 * 1.62) },
] as const)('a picture of $width × $height in $detail detail counts as $tokens tokens by $by', (picture) => {
  expect(tokensOfPicture(picture, picture.detail, picture.by)).toBe(picture.tokens);
});

test('the cache returns no prefix below 1,024 tokens, and longer prefixes in steps of 128', () => {
  expect([1023, 1024, 1151, 1152].map(cachedOf)).toEqual([0, 1024, 1024, 1152]);
});
