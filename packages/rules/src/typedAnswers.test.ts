import type { AnswerInput } from '@evaluation/rest-contract/schemas';
import { describe, expect, test } from 'vitest';
import { isMostlyDevanagari } from './language.ts';
import { BROKEN } from './readable.ts';
import { checkTypedAnswers, type AnswerableQuestion } from './typedAnswers.ts';

const paper: AnswerableQuestion[] = [
  { id: '00000000-0000-4000-8000-000000000001', label: '1', type: 'mcq_single', option_labels: ['A', 'B'] },
  { id: '00000000-0000-4000-8000-000000000002', label: '2(a)', type: 'long_answer', option_labels: [] },
  { id: '00000000-0000-4000-8000-00000000000a', label: '3', type: 'numeric', option_labels: [] },
];
const check = (...answers: AnswerInput[]) => checkTypedAnswers(answers, paper);

/* tests/rest/submissions/typed-answers.test.ts tests the other rules: each problem, blank answers, and the language. */

describe('typed answers', () => {
  test('answers match their question by id, or by label ignoring case', () => {
    const { answered } = check(
      { question_id: '00000000-0000-4000-8000-00000000000A', text: '4' },
      { question_label: '2(A)', text: 'why' },
    );
    expect(answered.map(({ question_id }) => question_id)).toEqual([paper[2]?.id, paper[1]?.id]);
  });

  test('an id that is no UUID is an unknown question', () => {
    const { problems } = check({ question_id: 'x', text: 'x' });
    expect(problems).toMatchObject([{ field: 'answers[0].question_id', code: 'unknown_question' }]);
  });

  test('the readable part of a refused answer is checked, and no fault is reported twice', () => {
    const { problems, answered } = checkTypedAnswers(
      [
        BROKEN,
        { question_label: BROKEN, text: 'x' },
        { question_id: BROKEN, question_label: '9', text: 'x' },
        { question_label: '1', option_labels: BROKEN, text: 'x' },
        { question_label: '1', option_labels: [BROKEN, 'C'] },
        { question_label: '2(a)', text: BROKEN, option_labels: [] },
      ],
      paper,
    );
    expect(problems.map(({ field, code }) => `${field} ${code}`)).toEqual([
      'answers[3].text not_allowed',
      'answers[4] duplicate',
      'answers[4].option_labels[1] unknown_option_label',
      'answers[5].option_labels not_allowed',
    ]);
    expect(answered).toEqual([]);
    expect(checkTypedAnswers(BROKEN, paper).problems).toEqual([]);
  });

  test.each(['', ' \n\t', '\u00a0\u3000', '\u200b\ufeff\u2060', '\u00ad', '\u200e \u200f'])(
    'an invisible text is blank, for a long answer and for a number: %j',
    (text) => {
      expect(check({ question_label: '2(a)', text }, { question_label: '3', text })).toEqual({
        answered: [],
        problems: [],
        notEnglish: null,
      });
    },
  );
});

test.each([
  ['abcd', false],
  ['', false],
  ['123 +-', false],
  ['aaaaक', false],
  ['aaaकक', true],
  ['कख', true],
  // कि is one letter with a vowel sign: one Devanagari letter of five is 20%, not 33%.
  ['aaaaकि', false],
  ['aaaकि', true],
  ['aaaa क्', false],
  // The nukta may be a character of its own: one letter in both encodings.
  ['aaaa\u0958', false],
  ['aaaa\u0915\u093c', false],
  ['aaa\u0915\u093c', true],
  ['१२३ ।॥', false],
  ['\u093f\u094d\u093c', false],
  // Letters of any script and case count in the total; only Devanagari counts against the limit.
  ['ааааक', false],
  ['ааак', false],
  ['বাংলা', false],
  ['𑀅ꣲक', true],
])('the share of Devanagari counts letters only: %s', (text, expected) => {
  expect(isMostlyDevanagari(text)).toBe(expected);
});

test.each([
  [2000, 8000, false],
  [2001, 7999, true],
  [4000, 16_000, false],
  [4001, 15_999, true],
])(
  '%i of Devanagari beside %i others: exactly 20%% is accepted, and one more letter is not',
  (hindi, english, expected) => {
    expect(isMostlyDevanagari('क'.repeat(hindi) + 'a'.repeat(english))).toBe(expected);
  },
);
