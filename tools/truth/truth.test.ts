import { afterAll, expect, test } from 'vitest';
import { endIdleChildren } from '@evaluation/pdf';
import { measureTruth } from './measure.ts';
import { LEAST_LIKENESS } from './pictures.ts';

/* A short run of `npm run truth` (docs/proofs.md#zeros). TRUTH_SEED draws other copies. */
const SEED = Number(process.env['TRUTH_SEED'] ?? 3);
afterAll(endIdleChildren);

test('a reader that leaves an answer out makes no silent zero, a question without an answer needs no teacher, and all see the same pages', async () => {
  const {
    rows: [none, ...lost],
    pages,
  } = await measureTruth(10, SEED);
  expect(none).toEqual({ way: null, copies: 5, flagged: 0 });
  const drawn = lost.filter(({ copies }) => copies > 0);
  expect(drawn).toHaveLength(5);
  for (const { way, copies, flagged } of drawn) expect({ way, flagged }).toEqual({ way, flagged: copies });
  expect(pages.length).toBeGreaterThan(0);
  for (const { reader, checked } of pages)
    expect(Math.min(reader, checked)).toBeGreaterThanOrEqual(LEAST_LIKENESS);
});
