import { expect, test } from 'vitest';
import { withoutHead } from './readPage.ts';

const line = (text: string, y: number) => ({ text, box: { x: 0.1, y, width: 0.8, height: 0.02 } });
const texts = (page: number, lines: ReturnType<typeof line>[]) =>
  withoutHead(page, lines).map(({ text }) => text);

test('7 the printed head of a page belongs to no answer', () => {
  expect(
    texts(2, [
      line('Roll No. [2]6]|o]4|1]7] Page 2 E', 0.04),
      line('to the lungs. It takes up oxygen', 0.13),
    ]),
  ).toEqual(['to the lungs. It takes up oxygen']);
  expect(
    texts(1, [line('ANSWER BOOKLET', 0.06), line('Subject: Science', 0.15), line('Ans 1) C', 0.45)]),
  ).toEqual(['Ans 1) C']);
});

test('7 writing that merely mentions such words is kept, below the head and after the first label', () => {
  const written = [
    line('Ans 3) The page 4 experiment', 0.03),
    line('Roll no longer matters', 0.06),
    line('Name: Newton', 0.5),
  ];
  expect(texts(2, written)).toHaveLength(3);
});
