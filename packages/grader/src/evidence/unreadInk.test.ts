import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unreadInk, type InkMap } from './unreadInk.ts';

/* Ink that no place accounts for, on drawn maps. Pages of scans: tests/fixtures/unreadInk.test.ts. */

const [width, height] = [277, 392];
interface Place {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A page with full ink in these places. */
const pageWith = (...places: Place[]): InkMap => {
  const shares = new Uint8Array(width * height);
  for (const { x, y, width: wide, height: high } of places)
    for (let row = Math.floor(y * height); row < Math.ceil((y + high) * height); row++)
      shares.fill(255, row * width + Math.floor(x * width), row * width + Math.ceil((x + wide) * width));
  return { shares, width, height };
};
const LETTER = { x: 0.4, y: 0.5, width: 0.008, height: 0.01 };
const WORD = { x: 0.3, y: 0.2, width: 0.1, height: 0.012 };
const holds = (outer: Place, inner: Place) =>
  outer.x <= inner.x &&
  outer.y <= inner.y &&
  outer.x + outer.width >= inner.x + inner.width &&
  outer.y + outer.height >= inner.y + inner.height;

test('a letter and a word that no place covers are regions, the larger first', () => {
  const found = unreadInk(pageWith(LETTER, WORD), []);
  expect(found).toHaveLength(2);
  expect(holds(found[0] ?? WORD, WORD)).toBe(true);
  expect(holds(found[1] ?? LETTER, LETTER)).toBe(true);
});

test('a line of small writing is a region, though it is as thin as a ruled line', () => {
  // Letters 3 mm high in one row of tiles, 4 cells each.
  const letters = Array.from({ length: 14 }, (_, at) => ({
    x: (80.1 + at * 3) / width,
    y: 200.1 / height,
    width: 1.5 / width,
    height: 3.4 / height,
  }));
  expect(unreadInk(pageWith(...letters), [])).toHaveLength(1);
});

test('ink within 2 % of a place belongs to it', () => {
  expect(unreadInk(pageWith(WORD), [{ ...WORD, y: WORD.y + 0.02 }])).toEqual([]);
  expect(unreadInk(pageWith(WORD), [{ ...WORD, y: WORD.y + 0.08 }])).toHaveLength(1);
});

test.each([
  ['an empty page', []],
  ['a speck', [{ x: 0.5, y: 0.5, width: 0.004, height: 0.003 }]],
  ['a ruled line', [{ x: 0.1, y: 0.5, width: 0.8, height: 0.003 }]],
  ['a margin line', [{ x: 0.15, y: 0.06, width: 0.004, height: 0.9 }]],
  [
    'a punch hole and the shadow of an edge',
    [
      { x: 0.01, y: 0.33, width: 0.03, height: 0.02 },
      { x: 0.97, y: 0, width: 0.03, height: 1 },
    ],
  ],
] as const)('%s has no region', (_, places) => expect(unreadInk(pageWith(...places), [])).toEqual([]));

test('the edges and the margin of a long page are no deeper than those of another page', () => {
  const [wide, long] = [277, 1568];
  const shares = new Uint8Array(wide * long);
  // A word 4 cm below the top of four sheets of A4, and another one 3 cm below it.
  for (const top of [53, 93])
    for (let row = top; row < top + 5; row++) shares.fill(255, row * wide + 80, row * wide + 120);
  const page = { shares, width: wide, height: long };
  expect(unreadInk(page, [])).toHaveLength(2);
  const first = { x: 80 / wide, y: 53 / long, width: 40 / wide, height: 5 / long };
  expect(unreadInk(page, [first])).toHaveLength(1);
});

const part = fc.double({ min: 0.06, max: 0.8, noNaN: true });
const size = fc.double({ min: 0.012, max: 0.14, noNaN: true });
const place: fc.Arbitrary<Place> = fc.record({ x: part, y: part, width: size, height: size });

test('any writing is accounted for by the places that hold it, and by nothing less', () => {
  fc.assert(
    fc.property(fc.array(place, { minLength: 1, maxLength: 12 }), fc.nat(), (places, pick) => {
      const ink = pageWith(...places);
      expect(unreadInk(ink, places)).toEqual([]);
      const left = places[pick % places.length] ?? LETTER;
      const far = places.filter((other) => other !== left);
      const touches = ({ x, y, width: wide, height: high }: Place) =>
        x < left.x + left.width + 0.03 &&
        left.x < x + wide + 0.03 &&
        y < left.y + left.height + 0.03 &&
        left.y < y + high + 0.03;
      fc.pre(!far.some(touches));
      expect(unreadInk(ink, far).some((region) => holds(region, left))).toBe(true);
    }),
  );
});

test('a page full of regions gives the fifty with the most ink', () => {
  const words = Array.from({ length: 120 }, (_, at) => ({
    x: 0.1 + (at % 10) * 0.08,
    y: 0.1 + Math.floor(at / 10) * 0.06,
    width: 0.03,
    height: at === 77 ? 0.02 : 0.01,
  }));
  const found = unreadInk(pageWith(...words), []);
  expect(found).toHaveLength(50);
  expect(holds(found[0] ?? LETTER, words[77] ?? LETTER)).toBe(true);
});
