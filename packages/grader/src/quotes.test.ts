import { expect, test } from 'vitest';
import { locateInBlocks, locateQuote } from './quotes.ts';

test.each([
  ['the same words', 'plants make glucose', 'All plants make glucose.', true],
  ['another case and spacing', 'Plants  MAKE', 'plants\nmake', true],
  ['other quotation marks and dashes', '“light–dark”', '"light-dark"', true],
  ['words left out', 'plants … light', 'plants make glucose with light', true],
  ['words left out, with three dots', 'plants ... light', 'plants make glucose with light', true],
  ['words in another order', 'light … plants', 'plants make glucose with light', false],
  ['words that are not in the text', 'chlorophyll', 'plants make glucose', false],
  ['no text', '', 'plants', false],
  ['only an ellipsis', '…', 'plants', false],
  ['words in an empty text', 'plants', '', false],
])('a quotation with %s', (_, quote, text, found) => {
  expect(locateQuote(quote, text) !== null).toBe(found);
});

test('evidence is found in its block, with its relative position', () => {
  const box = { x: 0, y: 0, width: 1, height: 1 };
  const blocks = [
    { page: 1, box, text: 'nothing here' },
    { page: 2, box, text: 'half of the text glucose follows' },
  ];
  expect(locateInBlocks('glucose', blocks)).toEqual({ block: 1, offset: 17 / 32 });
  expect(locateInBlocks('starch', blocks)).toBeNull();
});
