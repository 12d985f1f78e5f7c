import { expect, test } from 'vitest';
import { partsOf } from './quotation.ts';

const quoted = (text: string, quotation: string | null): string[] =>
  partsOf(text, quotation).flatMap((part) => (part.isQuoted ? [part.text] : []));

test('the words of a quotation are found in spite of other spaces, case and quotation marks', () => {
  expect(quoted('Plants  take in\nLight.', 'take in light')).toEqual(['take in\nLight']);
  expect(quoted('It’s (a+b)*c.', "it's (a+b)*c")).toEqual(['It’s (a+b)*c']);
});

test('omitted words are not highlighted, and a text without the quotation stays whole', () => {
  expect(quoted('one two three four', 'one … four')).toEqual(['one', 'four']);
  expect(partsOf('one two', 'three')).toEqual([{ text: 'one two', isQuoted: false }]);
  expect(partsOf('one two', null)).toEqual([{ text: 'one two', isQuoted: false }]);
});

test('the parts make the text', () => {
  const text = 'Ice is less dense than water, so it floats.';
  expect(
    partsOf(text, 'less dense … floats')
      .map((part) => part.text)
      .join(''),
  ).toBe(text);
});
