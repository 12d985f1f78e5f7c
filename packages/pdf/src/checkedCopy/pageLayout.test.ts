import fc from 'fast-check';
import { PDFDocument } from '#pdf-lib';
import { beforeAll, expect, test } from 'vitest';
import type { Area } from './canvas.ts';
import { inkOfBoxes } from './freeSpace.ts';
import { embedLettering } from './lettering.ts';
import type { Lettering } from './lettering.ts';
import { layOutPage } from './pageLayout.ts';
import type { PageLayout, Placed } from './pageLayout.ts';

let letters: Lettering;
beforeAll(async () => {
  letters = await embedLettering(await PDFDocument.create());
});

const a4 = { width: 595, height: 842 };

const placesOf = ({ total, marks, strokes, comments }: PageLayout): Area[] => [
  ...(total === null ? [] : [total]),
  ...[...marks, ...strokes, ...comments].map(({ area }) => area),
];

const overlap = (a: Area, b: Area) =>
  Math.max(0, Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x)) *
  Math.max(0, Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y));

const written = fc.array(
  fc.record({
    x: fc.integer({ min: 0, max: 200 }),
    y: fc.integer({ min: 0, max: 82 }).map((row) => row * 10),
    width: fc.integer({ min: 20, max: 595 }),
    height: fc.constant(9),
  }),
  { maxLength: 60 },
);
const share = fc.double({ min: 0, max: 1, noNaN: true });
const annotations = (most: number, kinds: readonly Placed['kind'][]) =>
  fc.array(
    fc.record({
      kind: fc.constantFrom(...kinds),
      box: fc.record({ x: share, y: share, width: share, height: share }),
      text: fc.string({ unit: fc.constantFrom('a', 'W', ' ', '½'), minLength: 1, maxLength: 160 }),
    }),
    { maxLength: most },
  );

test('drawn areas neither overlap nor leave the page, and comments stand on empty paper only', () => {
  const everything = annotations(50, ['mark', 'tick', 'cross', 'comment']);
  fc.assert(
    fc.property(written, everything, fc.boolean(), (lines, plan, hasTotal) => {
      const layout = layOutPage(a4, plan, hasTotal, letters, inkOfBoxes(lines));
      const places = placesOf(layout);
      for (const [index, place] of places.entries()) {
        expect(Math.min(place.x, place.y)).toBeGreaterThanOrEqual(0);
        expect(place.x + place.width).toBeLessThanOrEqual(a4.width);
        expect(place.y + place.height).toBeLessThanOrEqual(a4.height);
        for (const other of places.slice(index + 1)) expect(overlap(place, other)).toBeLessThan(0.001);
      }
      for (const { area } of layout.comments) {
        const covered = lines.reduce((most, line) => Math.max(most, overlap(area, line)), 0);
        expect(covered).toBeLessThan(40);
      }
      const count = (kinds: readonly string[]) => plan.filter(({ kind }) => kinds.includes(kind)).length;
      expect(layout.strokes).toHaveLength(count(['tick', 'cross']));
      expect(layout.marks).toHaveLength(count(['mark']));
    }),
    { numRuns: 60 },
  );
});

const box = { x: 0.1, y: 0.4, width: 0.8, height: 0.1 };
const top = box.y * a4.height;
const line = (x: number, y: number, width: number): Area => ({ x, y, width, height: 18 });
const rows = (from: number, to: number, x = 0, width = a4.width) =>
  Array.from({ length: Math.floor((to - from) / 20) }, (_, row) => line(x, from + row * 20, width));

test.each<[string, Area[], (area: Area) => boolean]>([
  ['in the right margin when it is empty', rows(top, top + 80, 60, 440), ({ x }) => x > 500],
  ['in the left margin when the right one is written on', rows(0, 842, 90), ({ x }) => x < 60],
  [
    'a little higher or lower when both are written on',
    [...rows(0, top - 22), ...rows(top, 842)],
    ({ x, y, height }) => x > 480 && y > top - 34 && y + height <= top + 2,
  ],
])('a mark stands at the height of the first line: %s', (_, lines, fits) => {
  const mark = { kind: 'mark', box, text: 'Q7(a) 2/2' } as const;
  const { marks } = layOutPage(a4, [mark], false, letters, inkOfBoxes(lines));
  expect(marks).toHaveLength(1);
  expect(marks.map(({ area }) => area).filter((area) => !fits(area))).toEqual([]);
  for (const { area } of marks)
    expect(Math.abs(area.y + area.height / 2 - (top + 10))).toBeLessThan(0.04 * 842);
});

const comment = { kind: 'comment', box, text: 'Missing: the pulmonary artery. '.repeat(4) } as const;

test('a comment far from its answer has a leader, a near one has none', () => {
  const far = layOutPage(a4, [comment], false, letters, inkOfBoxes(rows(0, 700)));
  expect(far.comments).toHaveLength(1);
  const [from, to] = far.comments[0]?.leader ?? [];
  expect(from?.[1]).toBeGreaterThanOrEqual(698);
  expect(to?.[1]).toBeCloseTo((box.y + box.height) * 842, 3);
  const near = layOutPage(a4, [comment], false, letters, inkOfBoxes(rows(0, 440)));
  expect(near.comments.map(({ leader }) => leader)).toEqual([null]);
});

test('a comment without empty paper stands in the summary only', () => {
  const full = inkOfBoxes(rows(0, 860));
  expect(layOutPage(a4, [comment], false, letters, full).comments).toEqual([]);
});

test('the search for a comment’s place ends on a page without room', () => {
  let asked = 0;
  const full = () => {
    asked++;
    return 0.2;
  };
  expect(layOutPage(a4, [comment], false, letters, full).comments).toEqual([]);
  expect(asked).toBeGreaterThan(0);
  // 100,000 calls take about 5 ms.
  expect(asked).toBeLessThan(100_000);
});

test('each letter gets the code that it has in a whole text, beside any other letter', () => {
  const characters = 'abcefhijlrstuvyzATVWéßøÄ1/½²-–—’“…. '.split('');
  const pairs = characters.flatMap((one) => characters.map((other) => `${one}${other}`)).join('');
  for (const face of [letters.regular, letters.bold]) {
    expect(face.encode(pairs).asString()).toBe(face.font.encodeText(pairs).asString());
  }
});
