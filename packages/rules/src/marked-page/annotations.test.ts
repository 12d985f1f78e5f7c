import { expect, test } from 'vitest';
import { shownAnnotations, type AnnotatedQuestion } from './annotations.ts';
import { Ink } from './ink.ts';

const ID = '00000000-0000-4000-8000-000000000001';
const at = (y: number) => ({ x: 0.1, y, width: 0.5, height: 0.05 });
const answered = (change: Partial<AnnotatedQuestion> = {}): AnnotatedQuestion => ({
  id: ID,
  label: '1',
  awarded: 1,
  max: 3,
  annotations: [
    { page: 2, kind: 'mark', box: at(0.4), text: 'Q1  1/3' },
    { page: 2, kind: 'tick', box: at(0.4), text: 'Equation' },
    { page: 2, kind: 'cross', box: at(0.5), text: '0/1 Unit' },
    { page: 3, kind: 'comment', box: at(0.1), text: '0.5/1 Reason' },
  ],
  ...change,
});
const kindsOf = (change: Partial<AnnotatedQuestion>, ink: Ink[] = []) =>
  shownAnnotations([answered(change)], ink).map(({ kind }) => kind);

test('a mark shows what counts', () => {
  const [mark] = shownAnnotations([answered({ awarded: 2 })], []);
  expect(mark).toMatchObject({ kind: 'mark', text: 'Q1  2/3', page: 2 });
});

test('an annotation that a teacher removed is not shown, with any mark', () => {
  const removed: Ink = { kind: 'removed', page: 2, question_id: ID, annotation: 'cross', at: [0.1, 0.5] };
  expect(kindsOf({}, [removed])).toEqual(['mark', 'tick', 'comment']);
  expect(kindsOf({ awarded: 2 }, [removed])).toEqual(['mark', 'tick', 'comment']);
  expect(kindsOf({}, [{ ...removed, page: 3 }])).toHaveLength(4);
});

test('a question without an answer has its mark after the question before it', () => {
  const missing = (id: string, awarded: number | null = 0) =>
    answered({ id, label: id, awarded, annotations: [] });
  const shown = shownAnnotations([missing('0'), answered(), missing('2'), missing('3', null)], []);
  const marks = shown.filter(({ kind }) => kind === 'mark');
  expect(marks.map(({ text, page, box }) => [text, page, box.y])).toEqual([
    ['Q0  0/3', 2, 0],
    ['Q1  1/3', 2, 0.4],
    ['Q2  0/3', 2, expect.closeTo(0.45)],
  ]);
});

test('ink has bounds: its place is on the page, and its points and letters are few', () => {
  const isInk = (value: unknown) => Ink.safeParse(value).success;
  const text = (letters: number) => ({ kind: 'text', page: 1, at: [0, 1], text: 'a'.repeat(letters) });
  expect([text(200), text(201), text(0)].map(isInk)).toEqual([true, false, false]);
  const pen = (points: number) => ({
    kind: 'pen',
    page: 1,
    points: Array.from({ length: points }, () => [0, 0, 0.5]),
  });
  expect([pen(400), pen(401), pen(0)].map(isInk)).toEqual([true, false, false]);
  const tick = (x: unknown, page: unknown = 1) => ({ kind: 'tick', page, at: [x, 0.5] });
  expect(
    [tick(1), tick(1.01), tick(-0.1), tick(NaN), tick('1'), tick(1, 0), tick(1, 1.5)].map(isInk),
  ).toEqual([true, false, false, false, false, false, false]);
});
