import { expect, test } from 'vitest';
import { locateInBlocks, locateQuote } from './quotes.ts';

test.each([
  ['the very words', 'plants make glucose', 'All plants make glucose.', true],
  ['another case and spacing', 'Plants  MAKE', 'plants\nmake', true],
  ['other quotation marks and dashes', '“light–dark”', '"light-dark"', true],
  ['words left out', 'plants … light', 'plants make glucose with light', true],
  ['words left out, by dots', 'plants ... light', 'plants make glucose with light', true],
  ['in another order', 'light … plants', 'plants make glucose with light', false],
  ['words that are not there', 'chlorophyll', 'plants make glucose', false],
  ['nothing', '', 'plants', false],
  ['only punctuation left out', '…', 'plants', false],
  ['anything in nothing', 'plants', '', false],
])('evidence: %s', (_, quote, text, found) => {
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
