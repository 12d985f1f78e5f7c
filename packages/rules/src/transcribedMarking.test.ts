import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { markObjective, type ObjectiveKey } from './objectiveMarking.ts';
import { compareTranscribed, markTranscribed } from './transcribedMarking.ts';

const page = readFileSync(new URL('../../../docs/objective-marking.md', import.meta.url), 'utf8');
const rows = [
  ...page.matchAll(/^\| (numeric|one_word) +\| `(.+?)` +\| `(.+?)` +\| (\w+) +\| (.+?) +\|$/gm),
].map(([, type = '', key = '', read = '', outcome = '', why = '']) => ({ type, key, read, outcome, why }));

const keyOf = (type: string, answer: string): ObjectiveKey =>
  type === 'numeric' ? { type, answer: answer.split('; ') } : { type: 'one_word', answer };
const numeric = (answer: number | string | (number | string)[], text: string) =>
  compareTranscribed({ type: 'numeric', answer }, { text });
const word = (answer: string, text: string) => compareTranscribed({ type: 'one_word', answer }, { text });

describe('docs/objective-marking.md, on copies', () => {
  test('each line of its table is read here', () => {
    expect(rows).toHaveLength(
      page.split('\n').filter((line) => /^\| (?:numeric|one_word) /.test(line)).length,
    );
    expect(new Set(rows.map(({ outcome }) => outcome))).toEqual(new Set(['right', 'wrong', 'doubtful']));
  });

  test.each(rows)('$type $key, read as $read, is $outcome: $why', ({ type, key, read, outcome }) => {
    expect(compareTranscribed(keyOf(type, key), { text: read })).toBe(outcome);
  });
});

describe('a number read on a page', () => {
  test.each<[number | string, string]>([
    [42, '\\(42\\)'],
    [42, '$$42$$.'],
    [42, '$\\boxed{\\text{42}}$.'],
    [42, '= $42$'],
    [3e8, '$\\boxed{3 \\times 10^{8}}$'],
    [0.5, '\\boxed{\\dfrac{1}{2}}.'],
    [-5, '$-5$'],
    [0.5, '$\\dfrac12$'],
    [-0.5, '-\\frac{1}{2}'],
    [-0.5, '\\frac{-1}{2}'],
    [-0.5, '\u2212½'],
    [100000, '$1{,}00{,}000$'],
    [1234567.5, '12,34,567.50'],
    [3e8, '$3\\times10^{8}$'],
    [3e8, '3 × 10⁸'],
    [3e8, '3.0 x 10^8'],
    ['3e8', '3·10^8 '],
    [1e-4, '10^{-4}'],
    [-1e8, '\u221210^8'],
  ])('%j, read as %j, is right', (answer, text) => {
    expect(numeric(answer, text)).toBe('right');
    // A typed answer is compared exactly.
    const typed = markObjective({ type: 'numeric', answer }, { text }, { maxMarks: 1, negativeMarks: 0 });
    expect(typed.correct).toBe(false);
  });

  test.each<[number | string, string]>([
    [-5, '- 5'],
    [1.5, '1½'],
    [0.66, '\\frac{2}{3}'],
    [0.67, '\\frac{2}{3}'],
    [0.5, '1/0'],
    [3.141, '3,141'],
    [1.5, '1,5'],
    [3.14, '3.14...'],
    [100000, '100\\,000'],
    [10000, '10,0,00'],
    [3e8, '3 \\times 10^8 m/s'],
    [3e8, '3 \\times 10^{9999999999}'],
    [50, '$50\\%$'],
    [42, '(42)'],
    [42, '~42'],
    [42, '$42'],
    [42, 'x = 42'],
    [120, '5!'],
    [42, '$$'],
  ])('%j, read as %j, is doubtful', (answer, text) => {
    expect(numeric(answer, text)).toBe('doubtful');
  });

  test.each<[number | string, string]>([
    [41, '$42$'],
    [0.6, '3/4'],
    [3, '3,141'],
    [3e8, '3 \\times 10^7'],
  ])('%j, read as %j, is wrong', (answer, text) => {
    expect(numeric(answer, text)).toBe('wrong');
  });
});

describe('a word read on a page', () => {
  test.each([
    ['C6H12O6', '$\\mathrm{C_6H_{12}O_6}$'],
    ['CO2', '$\\mathrm{CO}_2$'],
    ['CO\u2082', 'CO_2'],
    ['New Delhi', '\\text{New\\ Delhi}'],
    ['Vmax', '$V_{\\text{max}}$'],
    ['Vmax', '$V_{max}$'],
    ['insulin', '\\underline{Insulin}.'],
    ['Ph.D.', 'Ph.D'],
    ['$H_2O$', 'H2O'],
  ])('%j, read as %j, is right', (answer, text) => {
    expect(word(answer, text)).toBe('right');
    const typed = markObjective({ type: 'one_word', answer }, { text }, { maxMarks: 1, negativeMarks: 0 });
    expect(typed.correct).toBe(false);
  });

  test.each([
    ['102', '10^2'],
    ['C', 'C#'],
    ['C++', 'C'],
    ['New Delhi', 'NewDelhi'],
    ['Delhi', '(Delhi)'],
    ['Delhi', '$$'],
    ['\u03b1', '\\alpha'],
  ])('%j, read as %j, is doubtful', (answer, text) => {
    expect(word(answer, text)).toBe('doubtful');
  });

  test.each([
    ['Delhi', 'Dehli.'],
    ['CO2', '$SO_2$'],
    ['caf\u00e9', 'cafe'],
  ])('%j, read as %j, is wrong', (answer, text) => {
    expect(word(answer, text)).toBe('wrong');
  });
});

test('options are compared as sets; a reading without a value gives null', () => {
  const key: ObjectiveKey = { type: 'mcq_single', correct_options: ['B'] };
  const choose = (...option_labels: string[]) => compareTranscribed(key, { option_labels });
  expect([choose('B'), choose('A'), choose('B', 'A'), choose()]).toEqual(['right', 'wrong', 'wrong', null]);
  expect([numeric(1, ' '), word('a', '\u200b')]).toEqual([null, null]);
});

test('only a right value earns marks', () => {
  const marks = { maxMarks: 4, negativeMarks: 0 };
  const mark = (text: string) => markTranscribed({ type: 'numeric', answer: 50 }, { text }, marks);
  expect(mark('$50$')).toEqual({ status: 'graded', awarded: 4, correct: true });
  expect(mark('50%')).toEqual({ status: 'graded', awarded: 0, correct: false });
  expect(mark('')).toEqual({ status: 'not_answered', awarded: 0, correct: null });
});
