import { createHash } from 'node:crypto';
import { longAnswer, mcq } from '../../../tests/harness/papers.ts';
import type { QuestionInput } from '@evaluation/rest-contract/schemas';

/** What each answer is worth: a function of a token in its text, for the model and for the check of marks. */

const CRITERION_MARKS = 2;

/** Marks of one criterion, numbered from 1: 0 to 2 in half steps. */
export const awardOf = (token: string, criterion: number): number =>
  ((createHash('sha256').update(`${token} ${criterion}`).digest()[0] ?? 0) % (CRITERION_MARKS * 2 + 1)) / 2;

export const tokenIn = (text: string): string | undefined => /\bnumber (k\d+)\b/.exec(text)?.[1];

const answerText = (token: string): string =>
  `Ice floats because it is less dense than water, as in experiment number ${token} of our notes.`;

/** Label 1 is objective and worth 1 mark; 2 and 3 have two criteria of 2 marks each. */
export const PAPER: QuestionInput[] = [
  mcq('1'),
  ...['2', '3'].map((label) =>
    longAnswer(label, {
      max_marks: 2 * CRITERION_MARKS,
      rubric: {
        criteria: [
          { name: 'Claim', marks: CRITERION_MARKS },
          { name: 'Reason', marks: CRITERION_MARKS },
        ],
      },
    }),
  ),
];

interface Answers {
  body: object[];
  /** Marks by label that an undisturbed service gives. */
  marks: Record<string, number>;
}

/** Answers to `PAPER`. @param token unique, so that no judgement is reused */
export const answersOf = (token: string): Answers => {
  const isRight = awardOf(token, 9) >= 1;
  const long = ['2', '3'].map((label) => ({ label, own: `${token}${label}` }));
  return {
    body: [
      { question_label: '1', option_labels: [isRight ? 'B' : 'A'] },
      ...long.map(({ label, own }) => ({ question_label: label, text: answerText(own) })),
    ],
    marks: {
      '1': isRight ? 1 : 0,
      ...Object.fromEntries(long.map(({ label, own }) => [label, awardOf(own, 1) + awardOf(own, 2)])),
    },
  };
};

/** A copy with one page, which the model reads as an answer to question 1, and the marks of that copy. */
export const COPY_PAPER: QuestionInput[] = [longAnswer('1'), mcq('2')];
export const COPY_MARKS: Record<string, number> = { '1': 2, '2': 0 };
