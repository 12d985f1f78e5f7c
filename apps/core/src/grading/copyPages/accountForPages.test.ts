import { expect, test } from 'vitest';
import type { RecordedPage } from '@evaluation/rules/grading-model';
import { accountForPages } from './accountForPages.ts';

const block = (text: string, crossedOut = false) => ({
  label: null,
  continues: false,
  text,
  crossedOut,
  box: { x: 0, y: 0, width: 1, height: 0.1 },
});
const page = (number: number, blocks: RecordedPage['blocks'], legibility = 0.9): RecordedPage => ({
  page: number,
  legibility,
  language: 'en',
  turn: 0,
  blocks,
  printed: [],
  unread: [],
});

test('each page of a copy is accounted for: answers, writing that is in no answer, blank, unreadable, or not read', () => {
  const readings = [
    page(1, [block('one'), block('two'), block('stray')]),
    page(2, [block('left over'), block('struck', true), block('  ')]),
    page(3, [], 1),
    page(4, [], 0),
    page(6, [block('struck', true)]),
    { ...page(7, []), unread: [block('').box] },
  ];
  const alignment = [
    { number: 1, blocks: [{ page: 1, block: 0 }] },
    {
      number: 2,
      blocks: [
        { page: 1, block: 1 },
        { page: 9, block: 0 },
      ],
    },
    { number: 3, blocks: [{ page: 1, block: 0 }] },
  ];
  expect(accountForPages(7, readings, alignment)).toEqual([
    { page: 1, holds: 'answers', questions: [1, 2, 3], unassigned: 1, legibility: 0.9 },
    { page: 2, holds: 'unassigned', questions: [], unassigned: 1, legibility: 0.9 },
    { page: 3, holds: 'blank', questions: [], unassigned: 0, legibility: 1 },
    { page: 4, holds: 'unreadable', questions: [], unassigned: 0, legibility: 0 },
    { page: 5, holds: 'not_read', questions: [], unassigned: 0, legibility: null },
    { page: 6, holds: 'blank', questions: [], unassigned: 0, legibility: 0.9 },
    { page: 7, holds: 'unassigned', questions: [], unassigned: 1, legibility: 0.9 },
  ]);
});
