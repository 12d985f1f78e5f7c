import { describe, expect, test } from 'vitest';
import type { Behaviour, ModelServer, PageTruth } from '@evaluation/test-services';
import { MalformedOutput, readStrict } from '../strictSchema.ts';
import { settlePages } from './parse.ts';
import { pagesSchema } from './schema.ts';
import { pageReader } from '../../test/pageReader.ts';

const { server, newGrader, page, asSent, shownPages, readBy, read } = await pageReader();

describe('a batch of pages and the previous page', () => {
  const goesOn: PageTruth = { blocks: [{ text: 'and so it ends.', continues: true }] };

  test('writing over the border continues; the previous page is shown first and not transcribed', async () => {
    server.know({ pagesByNumber: { 4: { blocks: [{ label: 'Q1', text: 'It begins' }] }, 5: goesOn } });
    const { value, problems, evidence } = await read([await page(5)], await page(4));
    expect(value).toMatchObject([{ page: 5, blocks: [{ text: 'and so it ends.', continues: true }] }]);
    expect(problems).toBeUndefined();
    expect(shownPages()).toEqual([['Context page 4', 'Page 5']]);
    expect(evidence[0]?.images.map((image) => image.page)).toEqual([4, 5]);
    // Without the previous page the continuation is unknown.
    const alone = await read([await page(5)]);
    expect(alone.value[0]?.blocks[0]?.continues).toBe(false);
  });

  test('a transcription of the previous page is ignored without a review reason', async () => {
    const wire = (number: number) => ({
      page: number,
      top: 'top',
      blocks: [],
      legibility: 1,
      language: 'en',
      printed: [],
    });
    const content = { pages: [wire(4), wire(4), wire(5)] };
    server.behave([{ behaviour: { kind: 'content', content } }]);
    const { value, problems } = await read([await page(5)], await page(4));
    expect(value.map((reading) => reading.page)).toEqual([5]);
    expect(problems).toBeUndefined();
  });
});

const textOf = (number: number) => `Page ${number} in full.`;
const know = () =>
  server.know({
    pagesByNumber: Object.fromEntries(
      [1, 2, 3, 4].map((n) => [n, { blocks: [{ label: null, text: textOf(n) }] }]),
    ),
  });
const bodies = () => server.calls.map(({ body }) => JSON.stringify(body['messages']));
const asks = (call: ModelServer['calls'][number]) =>
  JSON.stringify(call.body['messages']).match(/"text":"Page \d+"/g)?.length ?? 0;
const isFor = (call: ModelServer['calls'][number], number: number) =>
  JSON.stringify(call.body['messages']).includes(`Transcribe these pages of one copy: ${number}.`);
const four = async () => await Promise.all([1, 2, 3, 4].map(page));

describe('a reply that is cut off or stays malformed', () => {
  test('of several pages: each is requested alone, with the previous one shown; nothing is shortened', async () => {
    know();
    server.behave((call) => (asks(call) > 1 ? { kind: 'out_of_length' } : { kind: 'answer' }));
    const { value, problems, usage } = await read(await four());
    expect(value.map(({ blocks }) => blocks[0]?.text)).toEqual([1, 2, 3, 4].map(textOf));
    expect(problems).toBeUndefined();
    expect(usage.calls).toBe(5);
    expect(
      shownPages()
        .slice(1)
        .map((texts) => texts.join(', '))
        .toSorted(),
    ).toEqual(['Context page 1, Page 2', 'Context page 2, Page 3', 'Context page 3, Page 4', 'Page 1']);
    expect(bodies().join('')).not.toMatch(/brief/i);
  });

  test.each([
    ['cut off', { kind: 'out_of_length' } as const, 7],
    ['malformed', { kind: 'violating' } as const, 9],
  ])(
    'of one page, %s three times: that page is left to a teacher, and the others are read',
    async (_, behaviour, calls) => {
      know();
      server.behave((call) => (asks(call) > 1 || isFor(call, 3) ? behaviour : { kind: 'answer' }));
      const { value, problems, usage } = await read(await four());
      expect(
        value.map(({ page: number, legibility, blocks }) => [number, legibility > 0, blocks.length]),
      ).toEqual([
        [1, true, 1],
        [2, true, 1],
        [3, false, 0],
        [4, true, 1],
      ]);
      expect(problems).toEqual(['page_not_read']);
      expect(usage.calls).toBe(calls);
      expect(server.calls).toHaveLength(calls);
      if (behaviour.kind === 'out_of_length') expect(bodies().join('')).not.toMatch(/brief/i);
    },
  );

  test('of each page: no page is read, with at most fifteen calls', async () => {
    server.behave([{ behaviour: { kind: 'violating' } }]);
    await expect(read(await four())).rejects.toMatchObject({ kind: 'malformed' });
    expect(server.calls).toHaveLength(15);
  });

  test('a fault of the endpoint is not a fault of the page', async () => {
    server.behave((call) => (asks(call) > 1 ? { kind: 'out_of_length' } : { kind: 'status', status: 400 }));
    await expect(read(await four())).rejects.toMatchObject({ kind: 'permanent' });
  });
});

describe('an endpoint with a smaller limit of images', () => {
  const imagesIn = (call: ModelServer['calls'][number]) =>
    JSON.stringify(call.body['messages']).split('"image_url":{').length - 1;
  const oneImage = (status: number) =>
    server.behave((call) => (imagesIn(call) > 1 ? { kind: 'status', status } : undefined));

  test.each([400, 413, 422])(
    'a limit of one image, refused with %i: each page is read alone, without the previous one',
    async (status) => {
      know();
      oneImage(status);
      const own = await newGrader();
      const { value, problems, usage } = await readBy(own, await four());
      expect(value.map(({ blocks }) => blocks[0]?.text)).toEqual([1, 2, 3, 4].map(textOf));
      expect(problems).toBeUndefined();
      expect(usage.calls).toBe(5);
      // The last page with its context page exceeds the limit, so it is sent again alone.
      const last = await readBy(own, [await page(4)], await page(3));
      expect(last.value[0]?.blocks[0]?.text).toBe(textOf(4));
      expect(shownPages().slice(-2)).toEqual([['Context page 3', 'Page 4'], ['Page 4']]);
    },
  );

  test('the limit is learnt once, and later reads keep to it', async () => {
    know();
    oneImage(400);
    const own = await newGrader();
    for (let copy = 1; copy <= 3; copy += 1) {
      await readBy(own, await four());
    }
    expect(server.calls).toHaveLength(3 * 5);
    const { value, usage } = await readBy(own, await four());
    expect(value).toHaveLength(4);
    expect(usage.calls).toBe(4);
    expect(server.calls.slice(3 * 5).map(imagesIn)).toEqual([1, 1, 1, 1]);
  });

  test('an endpoint that accepted several images gets several again, whatever it refuses', async () => {
    know();
    const own = await newGrader();
    await readBy(own, await four());
    oneImage(400);
    for (let copy = 1; copy <= 4; copy += 1) {
      await readBy(own, await four());
    }
    expect(server.calls).toHaveLength(1 + 4 * 5);
  });

  test('one refused page is left to a teacher, and the others are read', async () => {
    know();
    server.behave((call) =>
      shownPages().at(server.calls.indexOf(call))?.includes('Page 3') === true
        ? { kind: 'status', status: 400 }
        : undefined,
    );
    const own = await newGrader();
    const { value, problems, usage } = await readBy(own, await four(), null, 30_000);
    expect(value.map(({ blocks }) => blocks.length)).toEqual([1, 1, 0, 1]);
    expect(problems).toEqual(['page_not_read']);
    // One more call for the refused page if the others were answered meanwhile, and three more at most.
    expect([6, 7, 8]).toContain(usage.calls);
    // The other pages also survive if the refused page is alone in its batch. The grader is a new one: refusals of
    // several runs with no answer between them open the breaker, and an open breaker does not give a request up.
    const other = await newGrader();
    const reading = readBy(other, [await page(3)], await page(2), 30_000);
    await expect(reading).rejects.toMatchObject({ kind: 'malformed' });
  });

  test('if each page is refused, the read fails with that refusal', async () => {
    server.behave([{ behaviour: { kind: 'status', status: 400 } }]);
    const own = await newGrader();
    const reading = readBy(own, await four(), null, 20_000);
    await expect(reading).rejects.toMatchObject({
      kind: 'permanent',
      message: 'the model endpoint answered 400 (test_error)',
      spent: expect.arrayContaining([expect.objectContaining({ call: 'read_pages' })]),
    });
    // All together, then each page four times: one run does not show whether the endpoint refuses us.
    expect(server.calls).toHaveLength(1 + 4 * 4);
  });

  test('a page that is refused after it is turned keeps its first reading', async () => {
    const image = await page(1);
    server.know({
      pagesBySha256: { [await asSent(image, 0)]: { top: 'left', blocks: [{ text: 'sideways' }] } },
    });
    server.behave(() => (server.calls.length > 1 ? { kind: 'status', status: 400 } : undefined));
    const own = await newGrader();
    const { value, problems } = await readBy(own, [image], null, 20_000);
    expect(value[0]?.blocks[0]?.text).toBe('sideways');
    expect(problems).toEqual(['page_not_upright']);
  });

  test.each<[string, Behaviour]>([
    ['exceeds the time limit', { kind: 'hang' }],
    ['gets a gateway time-out', { kind: 'status', status: 504 }],
  ])('pages for which the model %s are requested once together, then alone', async (_, behaviour) => {
    know();
    server.behave((call) => (asks(call) > 1 ? behaviour : undefined));
    const own = await newGrader({ callTimeoutSeconds: 1 });
    const { value, problems } = await readBy(own, await four(), null, 60_000);
    expect(value.map(({ blocks }) => blocks[0]?.text)).toEqual([1, 2, 3, 4].map(textOf));
    expect(problems).toBeUndefined();
    expect(server.calls.filter((call) => asks(call) > 1)).toHaveLength(1);
    expect(shownPages()).toContainEqual(['Context page 1', 'Page 2']);
  });
});

describe('a hostile reading', () => {
  const block = (text: string, place: object = {}) => ({
    label: 'Q1',
    continues: false,
    text,
    crossed_out: false,
    box: { x: 0, y: 0, width: 1, height: 0.1, ...place },
  });
  const wireOf = (blocks: object[]) => ({
    pages: [{ page: 1, top: 'top', blocks, legibility: 1, language: 'en', printed: [] }],
  });
  const settled = (blocks: object[]) =>
    settlePages([1], null, readStrict(pagesSchema, JSON.stringify(wireOf(blocks))));

  test('a page has no more text than fits on a page, and omissions are reported', () => {
    const { value, problems } = settled(Array.from({ length: 20 }, () => block('x'.repeat(4000))));
    const blocks = value[0]?.reading.blocks ?? [];
    expect(blocks).toHaveLength(7);
    expect(problems).toEqual(['page_too_long']);
    expect(settled(Array.from({ length: 300 }, () => block('B')))).toMatchObject({ problems: [] });
  });

  test.each([
    [
      'more blocks than a page can have',
      JSON.stringify(wireOf(Array.from({ length: 301 }, () => block('B')))),
    ],
    ['an extremely long text', JSON.stringify(wireOf([block('x'.repeat(20_001))]))],
    ['a box with infinite numbers', JSON.stringify(wireOf([block('B')])).replace('"x":0', '"x":1e999')],
    ['a box without numbers', JSON.stringify(wireOf([block('B', { x: 'NaN' })]))],
    ['an unknown edge', JSON.stringify(wireOf([])).replace('"top":"top"', '"top":"upside down"')],
    ['too many pages', JSON.stringify({ pages: Array.from({ length: 81 }, () => wireOf([]).pages[0]) })],
  ])('%s is malformed', (_, output) => {
    expect(() => readStrict(pagesSchema, output)).toThrow(MalformedOutput);
  });

  test('a page with half of its blocks off the page is flagged: boxes in pixels, or invented ones', () => {
    const pixels = { x: 10.5, y: 24, width: 368, height: 80 };
    expect(settled([block('B', pixels)]).problems).toEqual(['boxes_off_page']);
    expect(settled([block('B'), block('C', pixels)]).problems).toEqual(['boxes_off_page']);
    expect(settled([block('B'), block('C'), block('D', { height: -0.1 })]).problems).toEqual([]);
    expect(settled([block('B', { x: -0.04, width: 1.08 })]).problems).toEqual([]);
    expect(settled([]).problems).toEqual([]);
  });

  test('text and boxes of a reading fit the database and the page', () => {
    const { value } = settled([block('a\u0000b\ud800c', { x: -5, y: 1e300, width: 0 })]);
    expect(value[0]?.reading.blocks).toMatchObject([
      { text: 'ab\ufffdc', box: { x: 0, y: 0.99, width: 0.01 } },
    ]);
    const height = value[0]?.reading.blocks[0]?.box.height ?? 1;
    expect(height).toBeCloseTo(0.01, 3);
  });
});
