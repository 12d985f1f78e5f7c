import { expect, test } from 'vitest';
import type { AlignRequest } from '../grader.ts';
import { userParts } from './prompt.ts';

const box = { x: 0, y: 0, width: 1, height: 1 };
const copy = (pages: number, blocks: number, text: string): AlignRequest => ({
  questions: [{ number: 1, label: '1', section: null, type: 'long_answer', text: 'One?' }],
  pages: Array.from({ length: pages }, (_, index) => ({
    page: index + 1,
    legibility: 1,
    language: 'en',
    blocks: Array.from({ length: blocks }, () => ({
      label: null,
      continues: false,
      text,
      crossedOut: false,
      box,
    })),
  })),
});
const lengthOf = (request: AlignRequest) =>
  userParts(request, 'boundary').reduce((sum, part) => sum + ('text' in part ? part.text.length : 0), 0);
const TEXT = 'word '.repeat(1000);

const shown = (texts: string[]): string => {
  const request = copy(1, texts.length, '');
  for (const [index, block] of (request.pages[0]?.blocks ?? []).entries()) block.text = texts[index] ?? '';
  return userParts(request, 'boundary')
    .map((part) => ('text' in part ? part.text : ''))
    .join('\n');
};

test('two answers in one block, where the reader missed a label: both are shown', () => {
  const both = `${'Water boils. '.repeat(100)} The capital is Delhi.`;
  expect(shown([both])).toContain('The capital is Delhi.');
  // Long blocks get the room that short blocks leave, also among many blocks.
  expect(shown([...Array.from({ length: 600 }, () => 'B'), both])).toContain('The capital is Delhi.');
});

test('room is shared: no block is cut while a longer one is shown in full', () => {
  const text = shown([...Array.from({ length: 60 }, (_, at) => `${at} `.repeat(4000)), 'x'.repeat(3000)]);
  expect(text).toContain('x'.repeat(3000));
  expect(text.length).toBeLessThan(450_000);
});

test('a long copy of long answers shows the beginning of each block', () => {
  const request = copy(80, 6, TEXT);
  expect(lengthOf(request)).toBeGreaterThan(80 * 6 * 600);
  expect(lengthOf(request)).toBeLessThan(500_000);
});

test('any number of blocks fits into the prompt, and each block is listed', () => {
  const parts = userParts(copy(80, 60, TEXT), 'boundary');
  const text = parts.map((part) => ('text' in part ? part.text : '')).join('\n');
  expect(text.length).toBeLessThan(1_000_000);
  expect(text.match(/"block":/g)).toHaveLength(80 * 60);
});
