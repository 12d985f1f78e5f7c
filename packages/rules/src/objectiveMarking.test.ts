import { describe, expect, test } from 'vitest';
import { markObjective, parseDecimal } from './objectiveMarking.ts';
import type { ObjectiveAnswer, ObjectiveKey } from './objectiveMarking.ts';

const marks = { maxMarks: 4, negativeMarks: 1 };
const right = { status: 'graded', awarded: 4, correct: true };
const wrong = { status: 'graded', awarded: -1, correct: false };
const blank = { status: 'not_answered', awarded: 0, correct: null };

const single: ObjectiveKey = { type: 'mcq_single', correct_options: ['B'] };
const multi: ObjectiveKey = { type: 'mcq_multi', correct_options: ['A', 'C'] };
const boolean: ObjectiveKey = { type: 'true_false', correct_options: ['True'] };

describe('choice answers are marked against the key', () => {
  test.each<[string, ObjectiveKey, string[], object]>([
    ['single, the right one', single, ['B'], right],
    ['single, another', single, ['A'], wrong],
    ['single, two labels though one is right', single, ['B', 'A'], wrong],
    ['single, label in another case', single, ['b'], wrong],
    ['single, label with a space', single, ['B '], wrong],
    ['single, none', single, [], blank],
    ['single, an empty label', single, [''], blank],
    ['multi, the exact set', multi, ['A', 'C'], right],
    ['multi, the set in another order', multi, ['C', 'A'], right],
    ['multi, a part of the set', multi, ['A'], wrong],
    ['multi, more than the set', multi, ['A', 'B', 'C'], wrong],
    ['multi, one right and one wrong', multi, ['A', 'B'], wrong],
    ['multi, one label twice is not two labels', multi, ['A', 'A'], wrong],
    ['true or false, right', boolean, ['True'], right],
    ['true or false, wrong', boolean, ['False'], wrong],
    ['true or false, both', boolean, ['True', 'False'], wrong],
    ['true or false, none', boolean, [], blank],
  ])('%s', (_, key, labels, expected) => {
    expect(markObjective(key, { option_labels: labels }, marks)).toEqual(expected);
  });

  test('absent labels are not answered', () => {
    expect(markObjective(single, {}, marks)).toEqual(blank);
  });
});

describe('numeric answers match by exact decimal equality', () => {
  test.each<[string, string, number | string | (number | string)[], object]>([
    ['an integer', '42', 42, right],
    ['spaces around', '  42\n', 42, right],
    ['trailing zeros', '9.80', 9.8, right],
    ['a key given as a string', '0.30', '0.3', right],
    ['0.3 compared as a decimal, not as a binary number', '0.3', 0.3, right],
    ['no tolerance', '3.14', 3.14159, wrong],
    ['the last of many digits counts', '0.10000000000000000001', '0.1', wrong],
    ['many digits, all right', '12345678901234567890.5', '12345678901234567890.50', right],
    ['one of several accepted', '0.5', [1, '0.50'], right],
    ['none of several accepted', '2', [1, '0.5'], wrong],
    ['plus sign', '+5', 5, right],
    ['minus sign', '-5', -5, right],
    ['Unicode minus', '\u22125', -5, right],
    ['minus zero is zero', '-0', 0, right],
    ['the sign matters', '5', -5, wrong],
    ['exponent', '6.02e23', 6.02e23, right],
    ['exponent with sign and capital', '1E-3', 0.001, right],
    ['a key in exponent form', '1500', '1.5e3', right],
    ['no digit before the point', '.5', 0.5, right],
    ['no digit after the point', '5.', 5, right],
    ['Devanagari digits', '४२', 42, right],
    ['Arabic-Indic digits', '\u0663\u0664', 34, right],
    ['fullwidth digits', '\uFF14\uFF12', 42, right],
    ['mathematical digits', '\u{1D7DA}', 2, right],
    ['grouped digits are refused', '1,000', 1000, wrong],
    ['a decimal comma is refused', '1,5', 1.5, wrong],
    ['a unit', '42 km', 42, wrong],
    ['a fraction', '1/2', 0.5, wrong],
    ['words', 'forty two', 42, wrong],
    ['hexadecimal', '0x10', 16, wrong],
    ['Infinity', 'Infinity', 5, wrong],
    ['two points', '1.2.3', 1.2, wrong],
    ['two signs', '--5', 5, wrong],
    ['a sign alone', '-', 0, wrong],
    ['a space inside', '1 000', 1000, wrong],
    ['an exponent beyond nine digits is wrong', '1e99999999999999', 5, wrong],
    ['a key that is no number matches no answer', '5', 'five', wrong],
    ['empty', '', 42, blank],
    ['white space', ' \t\n\u00a0', 42, blank],
  ])('%s', (_, text, answer, expected) => {
    expect(markObjective({ type: 'numeric', answer }, { text }, marks)).toEqual(expected);
  });
});

describe('one-word answers fold form, case and spaces', () => {
  test.each<[string, string, string, object]>([
    ['the word', 'Photosynthesis', 'Photosynthesis', right],
    ['another case', 'pHOTOSYNTHESIS', 'Photosynthesis', right],
    ['spaces around and inside', '  New   Delhi ', 'New Delhi', right],
    ['a line break inside', 'New\nDelhi', 'New Delhi', right],
    ['composed and decomposed', 'cafe\u0301', 'caf\u00e9', right],
    ['a ligature', '\uFB01sh', 'fish', right],
    ['sharp s', 'STRASSE', 'stra\u00dfe', right],
    ['final sigma', '\u039F\u0394\u039F\u03A3', '\u03BF\u03B4\u03BF\u03C2', right],
    ['another word', 'Respiration', 'Photosynthesis', wrong],
    ['a full stop is kept', 'Delhi.', 'Delhi', wrong],
    ['spaces are collapsed, not removed', 'NewDelhi', 'New Delhi', wrong],
    ['empty', '', 'Delhi', blank],
    ['white space', ' \u3000 ', 'Delhi', blank],
  ])('%s', (_, text, answer, expected) => {
    expect(markObjective({ type: 'one_word', answer }, { text }, marks)).toEqual(expected);
  });

  test('absent text is not answered', () => {
    const given: ObjectiveAnswer = {};
    expect(markObjective({ type: 'one_word', answer: 'Delhi' }, given, marks)).toEqual(blank);
  });
});

test('without negative marks a wrong answer is 0 and not -0', () => {
  const mark = markObjective(single, { option_labels: ['A'] }, { maxMarks: 1, negativeMarks: 0 });
  expect(Object.is(mark.awarded, 0)).toBe(true);
});

test('negative marks may be any decimal', () => {
  expect(markObjective(single, { option_labels: ['A'] }, { maxMarks: 1, negativeMarks: 0.33 }).awarded).toBe(
    -0.33,
  );
});

test('a decimal is kept exactly', () => {
  expect(parseDecimal('0.1')?.times(3).toString()).toBe('0.3');
});
