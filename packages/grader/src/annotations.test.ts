import { expect, test } from 'vitest';
import { annotate } from './annotations.ts';

const blocks = [
  { page: 1, box: { x: 0.1, y: 0.8, width: 0.8, height: 0.1 }, text: 'Plants make glucose.' },
  { page: 2, box: { x: 0.1, y: 0.2, width: 0.8, height: 0.4 }, text: 'one\ntwo\nlight\nfour' },
];
const criterion = { name: 'Light', awarded: 1, max: 1, reason: 'Said so.', evidence: null };

test('the mark is at the first block, and remarks are at their evidence', () => {
  const criteria = [
    { ...criterion, evidence: 'light' },
    { ...criterion, name: 'Glucose', awarded: 0.5, evidence: 'glucose' },
    { ...criterion, name: 'Water', awarded: 0 },
  ];
  const annotations = annotate('3(a)', 1.5, 3, criteria, blocks);
  expect(annotations.map(({ page, kind, text }) => [page, kind, text])).toEqual([
    [1, 'mark', 'Q3(a)  1.5/3'],
    [2, 'tick', 'Light'],
    [1, 'comment', '0.5/1 Glucose: Said so.'],
    [1, 'cross', '0/1 Water: Said so.'],
  ]);
  expect(annotations[0]?.box).toEqual(blocks[0]?.box);
  expect(annotations[1]?.box.height).toBeCloseTo(0.1);
  expect(annotations[1]?.box.y).toBeGreaterThan(0.35);
});

test('each box is inside its page and each text is short', () => {
  const edge = [{ page: 1, box: { x: 0.95, y: 0.99, width: 0.5, height: 0.5 }, text: 'light' }];
  const long = { ...criterion, awarded: 0.5, reason: 'word '.repeat(200), evidence: 'light' };
  for (const { box, text } of annotate('Q1', 1, 2, [long, long, long], edge)) {
    expect(box.x + box.width).toBeLessThanOrEqual(1.0001);
    expect(box.y + box.height).toBeLessThanOrEqual(1.0001);
    expect(text.length).toBeLessThanOrEqual(120);
  }
});

test('a label that begins with Q gets no second Q', () => {
  expect(annotate('Q.4', 1, 1, [], blocks)[0]?.text).toBe('Q.4  1/1');
});

test('a typed answer has no annotations', () => {
  expect(annotate('1', 1, 1, [criterion], [])).toEqual([]);
});
