import { describe, expect, test } from 'vitest';
import { markObjective, parseDecimal } from './objectiveMarking.ts';
import type { ObjectiveKey } from './objectiveMarking.ts';

const marks = { maxMarks: 4, negativeMarks: 1 };
const wrong = { status: 'graded', awarded: -1, correct: false };

const single: ObjectiveKey = { type: 'mcq_single', correct_options: ['B'] };
const multi: ObjectiveKey = { type: 'mcq_multi', correct_options: ['A', 'C'] };
const boolean: ObjectiveKey = { type: 'true_false', correct_options: ['True'] };

/*
 * Cases that are neither in the tables of docs/objective-marking.md, which objectiveMarking.page.test.ts reads, nor in
 * objectiveMarking.property.test.ts.
 */

describe('choice answers are marked against the key', () => {
  test.each<[string, ObjectiveKey, string[]]>([
    ['single, label in another case', single, ['b']],
    ['single, label with a space', single, ['B ']],
    ['multi, one right and one wrong', multi, ['A', 'B']],
    ['multi, one label twice is not two labels', multi, ['A', 'A']],
    ['true or false, the other one', boolean, ['False']],
  ])('wrong: %s', (_, key, labels) => {
    expect(markObjective(key, { option_labels: labels }, marks)).toEqual(wrong);
  });
});

describe('numeric answers match by exact decimal equality', () => {
  test.each<[string, string, number | string]>([
    ['the sign matters', '5', -5],
    ['two points', '1.2.3', 1.2],
    ['two signs', '--5', 5],
    ['a space inside', '1 000', 1000],
    ['an exponent beyond nine digits', '1e99999999999999', 5],
    ['a key that is no number matches no answer', '5', 'five'],
  ])('wrong: %s', (_, text, answer) => {
    expect(markObjective({ type: 'numeric', answer }, { text }, marks)).toEqual(wrong);
  });
});

test('negative marks may be any decimal', () => {
  expect(markObjective(single, { option_labels: ['A'] }, { maxMarks: 1, negativeMarks: 0.33 }).awarded).toBe(
    -0.33,
  );
});

test('a decimal is kept exactly', () => {
  expect(parseDecimal('0.1')?.times(3).toString()).toBe('0.3');
});
