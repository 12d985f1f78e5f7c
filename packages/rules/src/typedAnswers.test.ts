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
const problemsOf = (...answers: AnswerInput[]) =>
  check(...answers).problems.map(({ field, code }) => `${field} ${code}`);

describe('typed answers', () => {
  test('answers match their question by id, or by label ignoring case', () => {
    const { answered } = check(
      { question_id: '00000000-0000-4000-8000-00000000000A', text: '4' },
      { question_label: '2(A)', text: 'why' },
    );
    expect(answered.map(({ question_id }) => question_id)).toEqual([paper[2]?.id, paper[1]?.id]);
  });

  test.each<[string, AnswerInput[], string[]]>([
    ['no question', [{ text: 'x' }], ['answers[0] invalid_value']],
    [
      'two ways to name it',
      [{ question_id: paper[1]?.id, question_label: '2(a)', text: 'x' }],
      ['answers[0] invalid_value'],
    ],
    [
      'an unknown label',
      [{ question_label: '9', text: 'x' }],
      ['answers[0].question_label unknown_question'],
    ],
    ['an unknown id', [{ question_id: 'x', text: 'x' }], ['answers[0].question_id unknown_question']],
    ['text for a choice', [{ question_label: '1', text: 'A' }], ['answers[0].text not_allowed']],
    [
      'labels for a text',
      [{ question_label: '2(a)', option_labels: ['A'] }],
      ['answers[0].option_labels not_allowed'],
    ],
    [
      'an unknown option',
      [{ question_label: '1', option_labels: ['C'] }],
      ['answers[0].option_labels[0] unknown_option_label'],
    ],
    [
      'a question answered twice',
      [
        { question_label: '1', option_labels: ['A'] },
        { question_label: '1', option_labels: ['B'] },
      ],
      ['answers[1] duplicate'],
    ],
    ['too long', [{ question_label: '2(a)', text: 'a'.repeat(20_001) }], ['answers[0].text too_long']],
    [
      '20,000 characters, counted in code points',
      [{ question_label: '2(a)', text: '😀'.repeat(20_000) }],
      [],
    ],
  ])('%s', (_name, answers, expected) => {
    expect(problemsOf(...answers)).toEqual(expected);
  });

  test('every problem is listed at once', () => {
    expect(
      problemsOf({ question_label: '9' }, { question_label: '1', text: 'x', option_labels: ['C'] }),
    ).toEqual([
      'answers[0].question_label unknown_question',
      'answers[1].text not_allowed',
      'answers[1].option_labels[0] unknown_option_label',
    ]);
  });

  test('a second answer to a question is checked like any other', () => {
    expect(
      problemsOf(
        { question_label: '1', option_labels: ['A'] },
        { question_id: paper[0]?.id, text: 'x', option_labels: ['C'] },
        { question_label: '1', option_labels: ['A', 'A'] },
      ),
    ).toEqual([
      'answers[1] duplicate',
      'answers[1].text not_allowed',
      'answers[1].option_labels[0] unknown_option_label',
      'answers[2] duplicate',
      'answers[2].option_labels[1] duplicate',
    ]);
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

  test('blank answers are dropped: empty text, white space, no labels', () => {
    expect(
      check(
        { question_label: '2(a)', text: ' \n\t' },
        { question_label: '1', option_labels: [] },
        { question_label: '3' },
      ).answered,
    ).toEqual([]);
  });

  test('names the first answer with more than 20% Devanagari letters', () => {
    const { notEnglish, problems } = check(
      { question_label: '2(a)', text: 'नमस्ते दुनिया' },
      { question_label: '3', text: 'चौबीस' },
    );
    expect(notEnglish).toBe('2(a)');
    expect(problems[0]).toMatchObject({ field: 'answers[0].text', failure: 'language_not_supported' });
  });
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
