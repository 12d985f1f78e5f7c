import fc from 'fast-check';
import { PDFDocument } from '#pdf-lib';
import { layOutPage, screenLetters, type Area, type Placed } from '@evaluation/rules/marked-page';
import { beforeAll, expect, test } from 'vitest';
import { embedLettering } from './lettering.ts';
import type { Lettering } from './lettering.ts';

let letters: Lettering;
beforeAll(async () => {
  letters = await embedLettering(await PDFDocument.create());
});

const a4 = { width: 595, height: 842 };
const SHEET = 595 * 1.25;

const overlap = (a: Area, b: Area) =>
  Math.max(0, Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x)) *
  Math.max(0, Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y));

const share = fc.double({ min: 0, max: 1, noNaN: true });
const annotations = fc.array(
  fc.record({
    kind: fc.constantFrom('mark', 'tick', 'cross', 'comment'),
    box: fc.record({ x: share, y: share, width: share, height: share }),
    text: fc.string({ unit: fc.constantFrom('a', 'W', '½'), minLength: 1, maxLength: 160 }),
  }),
  { maxLength: 120 },
);

test('notes stand in the column without overlapping, ticks and crosses on the page, and no mark is left out', () => {
  fc.assert(
    fc.property(annotations, fc.boolean(), (plan, hasTotal) => {
      const { total, notes, strokes } = layOutPage(a4, plan, hasTotal, letters);
      const inColumn = [...(total === null ? [] : [total]), ...notes.map(({ area }) => area)];
      for (const [index, place] of inColumn.entries()) {
        expect(place.x).toBeGreaterThanOrEqual(a4.width);
        expect(place.x + place.width).toBeLessThanOrEqual(SHEET);
        expect(place.y).toBeGreaterThanOrEqual(0);
        expect(place.y + place.height).toBeLessThanOrEqual(a4.height + 0.001);
        for (const other of inColumn.slice(index + 1)) expect(overlap(place, other)).toBeLessThan(0.001);
      }
      for (const { area } of strokes) {
        expect(Math.min(area.x, area.y)).toBeGreaterThanOrEqual(0);
        expect(area.x + area.width).toBeLessThanOrEqual(a4.width);
        expect(area.y + area.height).toBeLessThanOrEqual(a4.height);
      }
      const count = (kinds: readonly string[]) => plan.filter(({ kind }) => kinds.includes(kind)).length;
      expect(strokes).toHaveLength(count(['tick', 'cross']));
      expect(notes.filter(({ kind }) => kind === 'mark')).toHaveLength(count(['mark']));
      expect(hasTotal).toBe(total !== null);
    }),
  );
});

const box = { x: 0.1, y: 0.4, width: 0.8, height: 0.1 };
const top = box.y * a4.height;
const comment = (text: string, y = box.y): Placed => ({ kind: 'comment', box: { ...box, y }, text });

test('a mark stands at the height of the first line of its answer, and a leader begins there', () => {
  const { notes } = layOutPage(a4, [{ kind: 'mark', box, text: 'Q7(a) 2/2' }], true, letters);
  expect(notes.map(({ lines }) => lines)).toEqual([['Q7(a) 2/2']]);
  for (const { area, leader } of notes) {
    expect(area.y + area.height / 2).toBeCloseTo(top + 12, 1);
    expect(leader[0]).toEqual([a4.width, top + 12]);
  }
});

test('ticks at the same words stand one below the other', () => {
  const ticks = Array.from({ length: 4 }, (): Placed => ({ kind: 'tick', box, text: '' }));
  const { strokes } = layOutPage(a4, ticks, false, letters);
  for (const [index, { area }] of strokes.entries())
    for (const other of strokes.slice(index + 1)) expect(overlap(area, other.area)).toBe(0);
});

test('comments that do not fit are shortened, and then the last are left out', () => {
  const text = 'Missing: the pulmonary artery. '.repeat(12);
  const linesOf = (comments: Placed[]) =>
    layOutPage(a4, comments, false, letters).notes.map(({ lines }) => lines);
  const [alone = []] = linesOf([comment(text)]);
  expect(alone).toHaveLength(12);
  expect(alone.at(-1)).toMatch(/…$/);
  const many = linesOf(Array.from({ length: 20 }, (_, at) => comment(text, at / 20)));
  expect(many).toHaveLength(20);
  expect(Math.max(...many.map(({ length }) => length))).toBeLessThan(9);
  const marks = Array.from({ length: 38 }, (): Placed => ({ kind: 'mark', box, text: 'Q1 1/1' }));
  const crowded = linesOf([...marks, ...Array.from({ length: 40 }, () => comment(text))]);
  expect(crowded.length).toBeGreaterThanOrEqual(38);
  expect(crowded.length).toBeLessThan(78);
});

test('on a screen the same notes stand at the same places with the same lines', () => {
  const plan = [
    ...['Q1  2.5/3', 'Q7(b)  ½/2'].map((text): Placed => ({ kind: 'mark', box, text })),
    ...['“Fürs Erste” — it’s 0.5/1 §', 'Say why it falls. '.repeat(9)].map((text, at) =>
      comment(text, at / 3),
    ),
  ];
  const onScreen = layOutPage(a4, plan, true, screenLetters);
  const onPaper = layOutPage(a4, plan, true, letters);
  expect(onScreen.notes.map(({ lines }) => lines)).toEqual(onPaper.notes.map(({ lines }) => lines));
  for (const [index, { area }] of onScreen.notes.entries())
    for (const side of ['x', 'y', 'width', 'height'] as const)
      expect(area[side]).toBeCloseTo(onPaper.notes[index]?.area[side] ?? NaN, 3);
  const characters = String.fromCharCode(...Array.from({ length: 224 }, (_, at) => at + 0x20)).replace(
    /[\x7f-\xa0\xad]/g,
    '',
  );
  for (const character of characters)
    for (const face of ['regular', 'bold'] as const)
      expect([character, screenLetters[face].width(character, 1)]).toEqual([
        character,
        expect.closeTo(letters[face].width(character, 1), 3),
      ]);
});

test('a comment without a character that can be shown has no note', () => {
  expect(layOutPage(a4, [comment(' \n ')], false, letters).notes).toEqual([]);
});
