import { expect, test } from 'vitest';
import type { ReadBlock } from '../grader.ts';
import { alignByLabels } from './align.ts';
import { withoutHead } from './cleanLines.ts';
import { judgeLexically } from './judge.ts';
import { labelCore, readLabel } from './labels.ts';
import { readObjectiveText } from './objectiveText.ts';

/* Answers may be made to cause backtracking in patterns. */

/** Seconds of processor time. */
const cpuOf = (work: () => unknown): number => {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
};
const box = { x: 0, y: 0, width: 1, height: 0.01 };
const line = (piece: string, end: string) => piece.repeat(2000 / piece.length - end.length) + end;
const gaps = (word: string) => `${word}${' '.repeat(600)}`.repeat(3) + 'x';
const pieces = [' ', '. ', '( ', '|', '-', ' .', 'Q ', '1.', 'a)', 'page '];

test.each([
  gaps('Q'),
  gaps('Ans'),
  gaps('q .'),
  `page${line(' ', 'xx')}`,
  `contd${line(' ', 'x')}`,
  `3 (${line(' ', 'x')}`,
])('the search for a label takes less than a second of CPU: %.12s', (text) => {
  expect(cpuOf(() => readLabel(text))).toBeLessThan(1);
  expect(cpuOf(() => labelCore(text))).toBeLessThan(1);
  expect(cpuOf(() => withoutHead(2, [{ text, box }]))).toBeLessThan(1);
});

test.each(pieces)('a line made of %j alone', (piece) => {
  const text = line(piece, 'xx');
  const work = () => [readLabel(text), labelCore(text), withoutHead(2, [{ text, box }])];
  expect(cpuOf(work)).toBeLessThan(1);
});

test('the longest label of a model reading is aligned in linear time', () => {
  const label = `${`Q${' '.repeat(24)}`.repeat(3)}x`;
  const block: ReadBlock = { label, continues: false, text: 'B', crossedOut: false, box };
  const questions = [{ number: 1, label: '1', section: null, type: 'one_word', text: 'Which?' }];
  const pages = [{ page: 1, legibility: 1, language: 'en' as const, blocks: [block] }];
  expect(cpuOf(() => alignByLabels({ questions, pages }))).toBeLessThan(1);
});

test.each([
  ['one_word', { type: 'one_word', answer: 'cat' } as const],
  ['numeric', { type: 'numeric', answer: 4 } as const],
])('an objective answer of 60,000 characters (%s) is read in less than a second of CPU', (type, key) => {
  const question = {
    label: '1',
    type,
    text: 'Which?',
    maxMarks: 1,
    options: [],
    correctOptions: [],
    answer: null,
    modelAnswer: null,
    partialMarking: null,
    criteria: [],
  };
  const exam = { subject: null, level: 'school', board: null, class: null, instructions: null };
  for (const piece of pieces) {
    const text = `x${piece.repeat(60_000 / piece.length)}x`;
    const answer = { text, legibility: null, blocks: [] };
    expect(
      cpuOf(() => readObjectiveText({ exam, question, answer }, key)),
      piece,
    ).toBeLessThan(1);
  }
});

test('the longest answer under a long rubric and a model answer as long as may be is marked within a second', () => {
  const word = (number: number) => `q${((number * 7919) % 100_003).toString(36)}z`;
  const words = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) => word(from + at)).join(' ');
  const sentences = Array.from({ length: 400 }, (_, at) => `cell ${words(at * 7, 7)}`);
  const criteria = Array.from({ length: 50 }, (_, at) => ({
    name: `Point ${at}`,
    marks: 2,
    keywords: [],
    guidance: `cell ${word(at)}`,
  }));
  const question = {
    label: '1',
    type: 'long_answer',
    text: 'Explain.',
    maxMarks: 100,
    options: [],
    correctOptions: [],
    answer: null,
    modelAnswer: sentences.join('. ').slice(0, 20_000),
    partialMarking: null,
    criteria,
  };
  const exam = { subject: null, level: 'school', board: null, class: null, instructions: null };
  for (const text of [words(0, 3300), 'cell '.repeat(4000)]) {
    const answer = { text: text.slice(0, 20_000), legibility: null, blocks: [] };
    expect(cpuOf(() => judgeLexically({ exam, question, answer }))).toBeLessThan(1.5);
  }
});

test('24,000 blocks of writing are aligned to 200 questions within a second', () => {
  const questions = Array.from({ length: 200 }, (_, at) => ({
    number: at + 1,
    label: `${at + 1}`,
    section: null,
    type: 'long_answer',
    text: 'Why?',
  }));
  const blockOf = (label: string): ReadBlock => ({
    label,
    continues: false,
    text: 'x',
    crossedOut: false,
    box,
  });
  const pages = Array.from({ length: 80 }, (_, page) => ({
    page: page + 1,
    legibility: 1,
    language: 'en' as const,
    blocks: Array.from({ length: 300 }, (__, at) => blockOf(at % 2 === 0 ? 'Q1' : '999.')),
  }));
  expect(cpuOf(() => alignByLabels({ questions, pages }))).toBeLessThan(1);
});
