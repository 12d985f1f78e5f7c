import { describe, expect, test } from 'vitest';
import type { AlignRequest } from '../grader.ts';
import { alignByLabels } from './align.ts';
import { blocksOf } from './readPage.ts';

const box = { x: 0, y: 0, width: 1, height: 0.1 };

const questions = (...labels: string[]): AlignRequest['questions'] =>
  labels.map((label, index) => ({
    number: index + 1,
    label: label.replace('*', ''),
    section: null,
    type: label.endsWith('*') ? 'mcq_single' : 'long_answer',
    text: 'text',
  }));

const align = (labels: string[], ...pages: string[][]): Record<string, string> => {
  const readings = pages.map((lines, index) => ({
    page: index + 1,
    legibility: 1,
    language: 'en' as const,
    blocks: blocksOf(lines.map((text) => ({ text, box }))),
  }));
  const asked = questions(...labels);
  const answers = alignByLabels({ questions: asked, pages: readings });
  expect(answers.map(({ number }) => number)).toEqual(asked.map(({ number }) => number));
  return Object.fromEntries(
    answers.map(({ number, blocks }) => [
      asked[number - 1]?.label ?? '',
      blocks.map(({ page, block }) => readings[page - 1]?.blocks[block]?.text ?? '?').join(' | '),
    ]),
  );
};

describe('the baseline finds answers by their labels', () => {
  test('in any order', () => {
    expect(align(['1', '2', '3'], ['Q3 three', 'Q1 one', 'Q2 two'])).toEqual({
      1: 'one',
      2: 'two',
      3: 'three',
    });
  });

  test('over a page break', () => {
    expect(align(['1', '2'], ['Q1 one'], ['goes on', 'Q2 two'])).toEqual({ 1: 'one | goes on', 2: 'two' });
  });

  test('continued later with "contd"', () => {
    expect(align(['1', '2'], ['Q1 one', 'Q2 two'], ['Q1 (contd.) more', 'Q2 contd. again'])).toEqual({
      1: 'one | more',
      2: 'two | again',
    });
  });

  test('in any form of the printed label', () => {
    expect(align(['Q.1', '2 (A)', '2(b)'], ['1) one', '2 a) two', 'Ans 2(B) three'])).toEqual({
      'Q.1': 'one',
      '2 (A)': 'two',
      '2(b)': 'three',
    });
  });

  test('parts under the label they belong to', () => {
    expect(align(['2(a)', '2(b)', '3(a)'], ['Q2', '(a) x', '(b) y', 'Q3', '(a) z'])).toEqual({
      '2(a)': 'x',
      '2(b)': 'y',
      '3(a)': 'z',
    });
  });

  test('parts of an undivided question stay with it', () => {
    expect(align(['2', '3'], ['Q2 start', '(a) x', '(ii) y', 'Q3(b) z'])).toEqual({
      2: 'start | x | y',
      3: 'z',
    });
  });

  test('a list inside a long answer starts no question', () => {
    expect(align(['1', '2'], ['Ans 2 reasons:', '1. first', '2. second', 'Ans 1 one'])).toEqual({
      1: 'one',
      2: 'reasons: | first | second',
    });
  });

  test('a column of choices, some with a word before them', () => {
    expect(align(['1*', '2*', '3*', '4*'], ['Q1 (b)', '2. C', '3 - A', '4 (d)'])).toEqual({
      1: '(b)',
      2: 'C',
      3: 'A',
      4: '(d)',
    });
  });

  test('a label alone on its line is a part if the paper has that part', () => {
    expect(align(['2a', '2b'], ['2 (a)', 'x', '2 (b)', 'y'])).toEqual({ '2a': '(a)\nx', '2b': '(b)\ny' });
  });

  test('a parent alone before its first part opens that part, unless the part has a label of its own', () => {
    expect(align(['19(a)', '19(b)'], ['Question 19.', 'Heat flows', '(b) two'])).toEqual({
      '19(a)': expect.stringContaining('Heat flows'),
      '19(b)': 'two',
    });
    expect(align(['19(a)', '19(b)'], ['Question 19. Read the text', '(a) one', '(b) two'])).toEqual({
      '19(a)': 'one',
      '19(b)': 'two',
    });
  });

  test('a section heading ends an answer, and a label of no question is assigned to none', () => {
    expect(align(['1', '2'], ['Q1 one', 'Section B', 'lost', 'Q9 nothing', 'Q2 two'])).toEqual({
      1: 'one',
      2: 'two',
    });
  });

  test('crossed-out blocks are never assigned', () => {
    const blocks = [
      { label: 'Q1', continues: false, text: 'struck', crossedOut: true, box },
      { label: 'Q1', continues: false, text: 'stands', crossedOut: false, box },
    ];
    const pages = [{ page: 1, legibility: 1, language: 'en' as const, blocks }];
    expect(alignByLabels({ questions: questions('1'), pages })).toEqual([
      { number: 1, blocks: [{ page: 1, block: 1 }] },
    ]);
  });

  test('an omitted question has no blocks', () => {
    expect(align(['1', '2'], ['Q1 one'])).toEqual({ 1: 'one', 2: '' });
  });
});
