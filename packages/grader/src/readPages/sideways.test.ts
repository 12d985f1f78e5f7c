import { describe, expect, test } from 'vitest';
import type { PageTruth } from '@evaluation/test-services';
import { turnedBox } from '../turn.ts';
import { pageReader } from '../../test/pageReader.ts';

const { server, page, asSent, shownPages, read } = await pageReader();

describe('pages that lie sideways or upside down', () => {
  const box = { x: 0.1, y: 0.2, width: 0.6, height: 0.1 };
  const lying = (top: 'left' | 'bottom' | 'right', legibility = 0.3): PageTruth => ({
    top,
    legibility,
    blocks: [{ text: 'gibberish' }],
  });
  const upright: PageTruth = { legibility: 0.9, blocks: [{ label: 'Q1', text: 'Glucose', box }] };

  test.each([
    { top: 'left' as const, turn: 90 as const },
    { top: 'bottom' as const, turn: 180 as const },
    { top: 'right' as const, turn: 270 as const },
  ])('top at the $top: turned by $turn and read again, with boxes of the scan', async ({ top, turn }) => {
    const image = await page(2);
    server.know({
      pagesBySha256: { [await asSent(image, 0)]: lying(top), [await asSent(image, turn)]: upright },
    });
    const { value, usage, problems, evidence } = await read([await page(1), image, await page(3)]);
    expect(value.map((reading) => reading.page)).toEqual([1, 2, 3]);
    expect(value.map((reading) => reading.turn)).toEqual([0, turn, 0]);
    expect(value[1]).toMatchObject({ legibility: 0.9, blocks: [{ label: 'Q1', text: 'Glucose' }] });
    const there = value[1]?.blocks[0]?.box;
    const back = turnedBox(there ?? box, turn);
    for (const side of ['x', 'y', 'width', 'height'] as const) expect(back[side]).toBeCloseTo(box[side], 3);
    expect(problems).toBeUndefined();
    expect(shownPages()).toEqual([
      ['Page 1', 'Page 2', 'Page 3'],
      ['Context page 1', 'Page 2'],
    ]);
    expect(usage.calls).toBe(2);
    expect(evidence[1]?.images[1]).toEqual({ page: 2, sha256: await asSent(image, turn) });
  });

  test('neighbours are turned in one call, each by its own turn, with the page before the batch shown', async () => {
    const [first, second] = [await page(5), await page(6)];
    server.know({
      pagesBySha256: {
        [await asSent(first, 0)]: lying('left'),
        [await asSent(second, 0)]: lying('bottom'),
        [await asSent(first, 90)]: upright,
        [await asSent(second, 180)]: upright,
      },
    });
    const { value } = await read([first, second], await page(4));
    expect(value.map(({ blocks }) => blocks[0]?.text)).toEqual(['Glucose', 'Glucose']);
    expect(shownPages()).toEqual([
      ['Context page 4', 'Page 5', 'Page 6'],
      ['Context page 4', 'Page 5', 'Page 6'],
    ]);
  });

  test.each([
    ['the second reading is kept if it is clearer', 0.5, 'second'],
    ['the first reading is kept if the second one is not clearer', 0.2, 'gibberish'],
  ])('a page that is still not upright is not turned again: %s', async (_, legibility, kept) => {
    const image = await page(1);
    server.know({
      pagesBySha256: {
        [await asSent(image, 0)]: lying('left'),
        [await asSent(image, 90)]: { top: 'bottom', legibility, blocks: [{ text: 'second' }] },
      },
    });
    const { value, usage, problems } = await read([image]);
    expect(value[0]?.blocks[0]?.text).toBe(kept);
    expect(problems).toEqual(['page_not_upright']);
    expect(usage.calls).toBe(2);
  });
});

describe('a page that a model wrongly reported as sideways', () => {
  const good: PageTruth = {
    top: 'left',
    legibility: 0.9,
    blocks: [
      { label: 'Q1', text: 'A full answer of the candidate that was read well.' },
      { label: 'Q2', text: 'Another one.' },
    ],
  };
  const readTurned = async (first: PageTruth, second: PageTruth) => {
    const image = await page(1);
    server.know({
      pagesBySha256: { [await asSent(image, 0)]: first, [await asSent(image, 90)]: second },
    });
    const { value, problems, usage } = await read([image]);
    return { texts: value[0]?.blocks.map(({ text }) => text), problems, calls: usage.calls };
  };
  const texts = good.blocks.map(({ text }) => text);

  test.each<[string, PageTruth]>([
    ['finds nothing', { legibility: 0.8, blocks: [] }],
    ['finds nothing with full legibility', { legibility: 1, blocks: [] }],
    ['finds half of the text', { legibility: 0.95, blocks: good.blocks.slice(1) }],
    ['is less legible', { ...good, top: 'top', legibility: 0.8, blocks: [{ text: 'x'.repeat(200) }] }],
  ])('keeps its first reading if the reading of the turned page %s, and is reported', async (_, second) => {
    expect(await readTurned(good, second)).toEqual({ texts, problems: ['page_not_upright'], calls: 2 });
  });

  test('a first reading without words is replaced by any other, whatever its legibility', async () => {
    const nothing: PageTruth = { top: 'left', legibility: 1, blocks: [] };
    expect(await readTurned(nothing, { ...good, top: 'top' })).toEqual({
      texts,
      problems: undefined,
      calls: 2,
    });
  });

  test('a reading with invented words is replaced by a clear one', async () => {
    const poor: PageTruth = { top: 'left', legibility: 0.3, blocks: [{ text: 'x'.repeat(100) }] };
    const { texts: kept, problems } = await readTurned(poor, { ...good, top: 'top' });
    expect(kept).toEqual(texts);
    expect(problems).toBeUndefined();
  });
});
