import { expect, test } from 'vitest';
import { numbersOfHeading } from './numbersOfHeading.ts';

const found = (...texts: string[]) => numbersOfHeading(texts.map((text) => ({ text, box: { y: 0.1 } })));

test('what follows a label of a roll number or an id is taken, also from boxes', () => {
  expect(found('Roll No. 2 6 0 4 1 7')).toEqual(['260417']);
  expect(found('Roll Number: 17', 'Name: Asha Rao')).toEqual(['17']);
  expect(found('Reg. No AB-12/7', 'Candidate id S-0017 Section B')).toEqual(['AB-12/7', 'S-0017']);
  expect(found('2 6 0 4 3 8')).toEqual(['260438']);
  expect(found('| 1 | 7 | 0 | 4 |')).toEqual([]);
});

test('marks, dates, pages, headings and answers are not taken', () => {
  for (const text of [
    'Maximum marks: 30',
    'Half-yearly Examination - Class X',
    'Date: 18.09.2026',
    'Page 2',
    'Subject: Science',
    'Roll No.',
    'Roll No. of the candidate',
    'a b c',
    '1. 24 ohm',
  ])
    expect(found(text), text).toEqual([]);
});

test('a number below the heading is not taken', () => {
  expect(numbersOfHeading([{ text: 'Roll No. 17', box: { y: 0.6 } }])).toEqual([]);
});
