import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startReader } from './index.ts';
import type { Reader } from './index.ts';
import { leastRectangle } from './rectangle.ts';
import { inReadingOrder } from './rows.ts';

let reader: Reader;
beforeAll(async () => {
  reader = await startReader();
}, 60_000);
afterAll(() => reader.end());

interface Text {
  text: string;
  x: number;
  y: number;
  /** Degrees, clockwise. */
  lean?: number;
}

const page = (texts: readonly Text[], font = 'DejaVu Sans'): Promise<Buffer> => {
  const drawn = texts.map(
    ({ text, x, y, lean = 0 }) =>
      `<text x="${x}" y="${y}" font-family="${font}" font-size="30" transform="rotate(${lean} 550 700)">${text}</text>`,
  );
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1100" height="1400"><rect width="100%" height="100%" fill="#fff"/>${drawn.join('')}</svg>`;
  return sharp(Buffer.from(svg)).jpeg().toBuffer();
};

const read = async (...texts: Text[]): Promise<string[]> =>
  (await reader.read(await page(texts))).map(({ text }) => text);

describe('a page of print', () => {
  test('is read in lines from top to bottom, also if it leans', async () => {
    const texts = ['Plants make glucose', 'from carbon dioxide', 'and water'];
    for (const lean of [-4, 0, 6]) {
      expect(await read(...texts.map((text, row) => ({ text, x: 150, y: 300 + row * 70, lean })))).toEqual(
        texts,
      );
    }
  });

  test('with two columns is read column by column', async () => {
    const rows = Array.from({ length: 7 }, (_, row) => row);
    const left = rows.map((row) => ({ text: `left column row ${row}`, x: 80, y: 200 + row * 60 }));
    const right = rows.map((row) => ({ text: `right column row ${row}`, x: 620, y: 215 + row * 60 }));
    expect(await read(...left, ...right)).toEqual([...left, ...right].map(({ text }) => text));
  });

  test('keeps the space behind a label, and decimal fractions whole', async () => {
    expect(await read({ text: '2. 42', x: 100, y: 200 }, { text: '2.42', x: 100, y: 300 })).toEqual([
      '2. 42',
      '2.42',
    ]);
  });

  test('gives the box of each word', async () => {
    const [line] = await reader.read(await page([{ text: 'Sunlight makes glucose', x: 200, y: 700 }]));
    const [first, second, third] = line?.words ?? [];
    expect([first?.text, second?.text, third?.text]).toEqual(['Sunlight', 'makes', 'glucose']);
    expect(first?.box.x).toBeCloseTo(200 / 1100, 1);
    expect(second?.box.x).toBeGreaterThan((first?.box.x ?? 0) + (first?.box.width ?? 0) - 0.03);
    expect(third?.box.y).toBeCloseTo(675 / 1400, 1);
    expect(line?.confidence).toBeGreaterThan(0.9);
  });
});

test('bytes that are no picture reject, and the next page is read', async () => {
  await expect(reader.read(Buffer.from('no picture'))).rejects.toThrow('cannot be read');
  expect(await read({ text: 'Water boils', x: 100, y: 200 })).toEqual(['Water boils']);
});

test('a reader that was ended in the middle of a page rejects, and this process lives on', async () => {
  const other = await startReader();
  const reading = other.read(await page([{ text: 'Water boils', x: 100, y: 200 }]));
  other.end();
  await expect(reading).rejects.toThrow();
  await expect(other.read(Buffer.alloc(1))).rejects.toThrow();
});

test('the least rectangle of points lies along their longer side', () => {
  const points = [0, 1, 2, 3, 4].flatMap((at) => [
    { x: at * 10, y: at * 5 },
    { x: at * 10 - 1, y: at * 5 + 2 },
  ]);
  const { angle, width, height } = leastRectangle(points);
  expect(angle).toBeCloseTo(Math.atan2(5, 10), 2);
  expect(width).toBeGreaterThan(height * 5);
});

test('pieces of a row join, and a far remark in the margin is a row of its own', () => {
  const piece = (x: number, width: number) => ({ rectangle: { x, y: 100, width, height: 30, angle: 0 } });
  const rows = inReadingOrder([piece(300, 180), piece(100, 180), piece(900, 60)], 1000);
  expect(rows.map((row) => row.map(({ rectangle }) => rectangle.x))).toEqual([[100, 300], [900]]);
});
