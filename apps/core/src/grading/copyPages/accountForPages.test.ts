import { expect, test } from 'vitest';
import type { PageReading } from '@evaluation/rules/grading-model';
import { accountForPages } from './accountForPages.ts';

const block = (text: string, crossedOut = false) => ({
  label: null,
  continues: false,
  text,
  crossedOut,
  box: { x: 0, y: 0, width: 1, height: 0.1 },
});
const page = (number: number, blocks: PageReading['blocks'], legibility = 0.9): PageReading => ({
  page: number,
  legibility,
  language: 'en',
  blocks,
});

test('each page of a copy is accounted for: answers, unassigned writing, blank, unreadable, or not read', () => {
  const readings = [
    page(1, [block('one'), block('two'), block('stray')]),
    page(2, [block('left over'), block('struck', true), block('  ')]),
    page(3, [], 1),
    page(4, [], 0),
    page(6, [block('struck', true)]),
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
  expect(accountForPages(6, readings, alignment)).toEqual([
    { page: 1, holds: 'answers', questions: [1, 2, 3], unassigned: 1, legibility: 0.9 },
    { page: 2, holds: 'unassigned', questions: [], unassigned: 1, legibility: 0.9 },
    { page: 3, holds: 'blank', questions: [], unassigned: 0, legibility: 1 },
    { page: 4, holds: 'unreadable', questions: [], unassigned: 0, legibility: 0 },
    { page: 5, holds: 'not_read', questions: [], unassigned: 0, legibility: null },
    { page: 6, holds: 'blank', questions: [], unassigned: 0, legibility: 0.9 },
  ]);
});
