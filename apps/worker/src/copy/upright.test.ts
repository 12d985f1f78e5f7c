import type { PageImage } from '@evaluation/pdf';
import type { RecordedPage } from '@evaluation/rules/grading-model';
import { expect, test } from 'vitest';
import { turnedPages, upright, uprightImages } from './upright.ts';

const image = (page: number, rotation: PageImage['picture']['rotation'] = 0): PageImage => ({
  page,
  file: `page-${page}.jpg`,
  picture: { file: `page-${page}.jpg`, rotation },
  ink: null,
  width: 110,
  height: 150,
  parts: [],
  pageWidth: 100,
  pageHeight: 140,
  points: { width: 595, height: 842 },
  state: 'written',
  showsInk: true,
  skewDegrees: 2,
});

test('a turned page has the measures and the rotation of the upright page, and other pages stay', () => {
  const images = uprightImages(
    [image(1), image(2, 270), image(3)],
    [
      { page: 1, turn: 90 },
      { page: 2, turn: 180 },
    ],
  );
  expect(images[0]).toMatchObject({
    width: 150,
    height: 110,
    pageWidth: 140,
    pageHeight: 100,
    points: { width: 842, height: 595 },
    skewDegrees: 2,
    picture: { rotation: 90 },
  });
  expect(images[1]).toEqual(image(2, 90));
  expect(images[2]).toEqual(image(3));
});

test('all boxes of a turned page are moved, and its turn is kept', () => {
  const box = { x: 0.25, y: 0.125, width: 0.5, height: 0.25 };
  const page: RecordedPage = {
    page: 4,
    legibility: 1,
    language: 'en',
    turn: 90,
    blocks: [{ label: '1', continues: false, text: 'One', crossedOut: false, box }],
    printed: [box],
    unread: [box],
  };
  const turned = { x: 0.625, y: 0.25, width: 0.25, height: 0.5 };
  expect(upright(page)).toEqual({
    ...page,
    blocks: [{ ...page.blocks[0], box: turned }],
    printed: [turned],
    unread: [turned],
  });
  expect(turnedPages([{ page: 3, turn: 0 }, page])).toEqual([{ page: 4, turn: 90 }]);
});
