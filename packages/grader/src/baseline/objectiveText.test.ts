import { describe, expect, test } from 'vitest';
import { numberIn, optionsIn } from './objectiveText.ts';

const options = [
  { label: 'A', text: 'Mercury' },
  { label: 'B', text: 'Venus' },
  { label: 'C', text: 'The Earth' },
];
const truth = [
  { label: 'True', text: 'True' },
  { label: 'False', text: 'False' },
];

describe('the baseline reads options and values out of text', () => {
  test.each([
    ['B', ['B']],
    ['(b)', ['B']],
    ['b)', ['B']],
    ['(b) Venus', ['B']],
    ['B. Venus', ['B']],
    ['Venus', ['B']],
    ['the earth', ['C']],
    ['A, C', ['A', 'C']],
    ['A and C', ['A', 'C']],
    ['A C', ['A', 'C']],
    ['(a) (c)', ['A', 'C']],
    ['A) Mercury and C) The Earth', ['A', 'C']],
    ['A) Mercury, B) The Earth', ['A']],
    ['E', []],
    ['Because it is hot', []],
    ['', []],
  ])('option in "%s"', (text, labels) => {
    expect(optionsIn(text, options)).toEqual(labels);
  });

  test.each([
    ['true', ['True']],
    ['T', ['True']],
    ['False.', ['False']],
  ])('true or false in "%s"', (text, labels) => {
    expect(optionsIn(text, truth)).toEqual(labels);
  });

  test.each([
    ['42', '42'],
    ['x = 42', '42'],
    ['9.8 m/s', '9.8'],
    ['v = 3 x 4 = -12 cm', '-12'],
    ['the answer is 7', '7'],
    ['1,000', '1,000'],
    ['3 or 4', '3 or 4'],
    ['H2O', 'H2O'],
  ])('number in "%s"', (text, value) => {
    expect(numberIn(text)).toBe(value);
  });
});
