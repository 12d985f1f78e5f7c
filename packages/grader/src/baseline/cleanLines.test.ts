import { describe, expect, test } from 'vitest';
import { cleanLines, withoutHead } from './cleanLines.ts';

const box = { x: 0.1, y: 0.5, width: 0.8, height: 0.02 };
const clean = (text: string, confidence = 0.9) => cleanLines([{ text, box, confidence }])[0]?.text ?? null;

describe('margin lines are removed', () => {
  test.each([
    ['| Ans 7(b)', 'Ans 7(b)'],
    ['id | constant for a given pair of media.', 'constant for a given pair of media.'],
    ['® | Equivalent resistance R = 3 ohm', 'Equivalent resistance R = 3 ohm'],
    ['® the same plane.', 'the same plane.'],
    ['— the right ventricle, which pumps it', 'the right ventricle, which pumps it'],
    ["Ans 11) | Ohm's law", "Ans 11) Ohm's law"],
    ['Double circulation means |', 'Double circulation means'],
    ['| Insulin :', 'Insulin'],
    ['| Object distance u = -30 cm )', 'Object distance u = -30 cm'],
    ['Q3 | The answer', 'Q3 The answer'],
    ['3) | The answer', '3) The answer'],
    ['(a) first', '(a) first'],
    ['- 5 degrees', '- 5 degrees'],
    ['f = +20 cm (convex lens)', 'f = +20 cm (convex lens)'],
  ])('%s', (text, expected) => {
    expect(clean(text)).toBe(expected);
  });
});

describe('empty ruled paper gives no text', () => {
  test.each([
    ['BR |', 0.41],
    ['rE |', 0.37],
    ['i.', 0.32],
    ['000000', 0.03],
    ['bi Bee fifion 0 en ed vo 0 sedition Sant', 0.07],
  ])('%s', (text, confidence) => {
    expect(clean(text, confidence)).toBeNull();
  });

  test.each([
    ['V=IR', 0.15],
    ['Ans 3)', 0.3],
    ['nails.', 0.77],
    ['because it is poorly written but long', 0.4],
  ])('%s is kept', (text, confidence) => {
    expect(clean(text, confidence)).toBe(text);
  });
});

describe('the printed head of a page is removed', () => {
  const line = (text: string, y: number) => ({ text, box: { ...box, y } });
  const texts = (page: number, lines: ReturnType<typeof line>[]) =>
    withoutHead(page, lines).map(({ text }) => text);

  test.each([
    'Roll No. [2]6]|o]4|1]7] Page 2 E',
    'Er Roll No. 2] 6] 0] 41]7] Page 5',
    'wine. [2] 6] o[4]1]7] Page',
    'raiiho. | 2] 6] 0] 4] 5] 2] Page 4',
    'rane. [2[6]0[4[3[F Pees',
  ])('%s', (head) => {
    expect(texts(2, [line(head, 0.04), line('to the lungs. It takes up oxygen', 0.13)])).toEqual([
      'to the lungs. It takes up oxygen',
    ]);
  });

  test('the first page of a booklet has a larger head', () => {
    expect(
      texts(1, [line('ANSWER BOOKLET', 0.06), line('Subject: Science', 0.15), line('Ans 1) C', 0.45)]),
    ).toEqual(['Ans 1) C']);
  });

  test('writing with words of a head is kept below the head and after the first label', () => {
    const written = [
      line('Ans 3) The page 4 experiment', 0.03),
      line('Roll no longer matters', 0.06),
      line('Name: Newton', 0.5),
    ];
    expect(texts(2, written)).toHaveLength(3);
  });
});
