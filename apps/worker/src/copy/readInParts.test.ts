import type { ReadPagesRequest } from '@evaluation/grader';
import type { PageImage } from '@evaluation/pdf';
import { expect, test } from 'vitest';
import { readInParts } from './readInParts.ts';

const image = (page: number, parts: PageImage['parts'] = []): PageImage => ({
  page,
  file: `page-${page}.jpg`,
  picture: { file: `page-${page}.jpg`, rotation: 0 },
  ink: null,
  width: 100,
  height: parts.length === 0 ? 140 : 400,
  parts,
  pageWidth: 100,
  pageHeight: 140,
  points: { width: 595, height: 842 },
  state: 'written',
  showsInk: true,
  skewDegrees: 0,
});
const long = (page: number): PageImage =>
  image(page, [
    { file: `page-${page}.part-1.jpg`, top: 0, height: 160 },
    { file: `page-${page}.part-2.jpg`, top: 160, height: 240 },
  ]);

/** A reader that finds one block and one line of print in the middle of each picture. */
const reader = (legibility: Record<string, number> = {}) => {
  const asked: { shown: string[]; context: string | null }[] = [];
  const read = (request: ReadPagesRequest) => {
    asked.push({
      shown: request.pages.map(({ page, file, height }) => `${page} ${file} ${height}`),
      context: request.context?.file ?? null,
    });
    const box = { x: 0.1, y: 0.5, width: 0.5, height: 0.1 };
    return Promise.resolve({
      value: request.pages.map(({ page, file }) => ({
        page,
        legibility: legibility[file] ?? 0.9,
        language: 'en' as const,
        turn: 0 as const,
        blocks: [{ label: null, continues: false, text: file, crossedOut: false, box }],
        printed: [box],
      })),
      evidence: [],
      problems: ['boxes_off_page'],
    });
  };
  return { asked, read };
};

test('ordinary pages are read as they are', async () => {
  const { asked, read } = reader();
  const { value } = await readInParts({ pages: [image(3), image(4)], context: image(2) }, 4, read);
  expect(asked).toEqual([{ shown: ['3 page-3.jpg 140', '4 page-4.jpg 140'], context: 'page-2.jpg' }]);
  expect(value.map(({ page }) => page)).toEqual([3, 4]);
});

test('the parts of a long page are read like pages, at most so many at once, and come back as one page', async () => {
  const { asked, read } = reader();
  const batch = { pages: [image(3), long(4), image(5)], context: long(2) };
  const { value, problems } = await readInParts(batch, 2, read);
  expect(asked).toEqual([
    { shown: ['1 page-3.jpg 140', '2 page-4.part-1.jpg 160'], context: 'page-2.part-2.jpg' },
    { shown: ['3 page-4.part-2.jpg 240', '4 page-5.jpg 140'], context: 'page-4.part-1.jpg' },
  ]);
  expect(value.map(({ page, blocks }) => [page, blocks.map(({ text }) => text)])).toEqual([
    [3, ['page-3.jpg']],
    [4, ['page-4.part-1.jpg', 'page-4.part-2.jpg']],
    [5, ['page-5.jpg']],
  ]);
  const [first, second] = value[1]?.printed ?? [];
  // Halves of the rows 0 to 160 and 160 to 400, of 400.
  expect([first?.y, second?.y]).toEqual([0.2, 0.7]);
  expect(first?.height).toBeCloseTo(0.04);
  expect(value[1]?.blocks.map(({ box }) => box)).toEqual([first, second]);
  expect(problems).toEqual(['boxes_off_page']);
});

test('a part that could not be read is not outweighed by the others', async () => {
  const { read } = reader({ 'page-1.part-2.jpg': 0 });
  const { value } = await readInParts({ pages: [long(1)], context: null }, 4, read);
  expect(value[0]?.legibility).toBe(0);
});
