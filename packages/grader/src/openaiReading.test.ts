import { createHash } from 'node:crypto';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { alignedByLabels, alignRequest, within } from '../test/requests.ts';
import { askedToAlign } from './promptHashes.ts';
import { resettleAlignment } from './resettle.ts';
import { testGrader } from '../test/openaiGrader.ts';

const { server, grader, folder, sent, page, readPages, answerWith } = await testGrader();

describe('reading pages', () => {
  test('pages are sent as images and come back as blocks; blank pages are not sent', async () => {
    const sha256 = createHash('sha256').update('jpeg bytes of page 7').digest('hex');
    server.know({
      pagesBySha256: {
        [sha256]: {
          legibility: 0.8,
          blocks: [
            { label: 'Q1', text: 'One' },
            { text: 'Old', crossedOut: true },
          ],
        },
      },
      pagesByNumber: { 9: { blocks: [{ text: 'More', continues: true }] } },
    });
    const pages = [await page(7), await page(8, true), await page(9)];
    const { value, usage, problems } = await readPages(pages);
    expect(value).toMatchObject([
      {
        page: 7,
        legibility: 0.8,
        language: 'en',
        turn: 0,
        printed: [],
        blocks: [
          { label: 'Q1', text: 'One', continues: false, crossedOut: false },
          { label: null, text: 'Old', crossedOut: true },
        ],
      },
      { page: 8, legibility: 1, language: 'en', turn: 0, blocks: [], printed: [] },
      { page: 9, blocks: [{ label: null, text: 'More', continues: true }] },
    ]);
    expect(problems).toBeUndefined();
    expect(usage.calls).toBe(1);
    expect(usage.inputTokens).toBeGreaterThan(0);
    expect(usage.outputTokens).toBeGreaterThan(0);
    expect(sent()).not.toContain('Page 8');
  });

  test('blank pages alone cost no call', async () => {
    const { value, usage } = await readPages([await page(1, true)]);
    expect(value).toEqual([{ page: 1, legibility: 1, language: 'en', turn: 0, blocks: [], printed: [] }]);
    expect(usage.calls).toBe(0);
    expect(server.calls).toHaveLength(0);
  });

  test('boxes and legibility out of range are clamped, control characters removed, other pages dropped', async () => {
    const block = {
      label: ' Q1\u0000 ',
      continues: false,
      text: 'a\u0000b\ud800',
      crossed_out: false,
      box: { x: -3, y: 0.5, width: 9, height: 9 },
    };
    const read = (number: number) => ({
      page: number,
      top: 'top',
      legibility: 7,
      language: 'en',
      printed: [],
      blocks: [block],
    });
    answerWith({ pages: [read(1), read(99)] });
    const { value, problems } = await readPages([await page(1)]);
    expect(value).toEqual([
      {
        page: 1,
        legibility: 1,
        language: 'en',
        turn: 0,
        printed: [],
        blocks: [
          {
            label: 'Q1',
            continues: false,
            text: 'ab\ufffd',
            crossedOut: false,
            box: { x: 0, y: 0.5, width: 1, height: 0.5 },
          },
        ],
      },
    ]);
    expect(problems).toEqual(['unknown_page', 'boxes_off_page']);
  });

  test('a missing page is malformed, and is requested again with the fault shown', async () => {
    server.behave([{ times: 1, behaviour: { kind: 'content', content: { pages: [] } } }]);
    const { value, usage } = await readPages([await page(1)]);
    expect(value).toHaveLength(1);
    expect(usage.calls).toBe(2);
    expect(sent()).toContain('Page 1 is missing.');
  });

  test('a missing page image fails permanently', async () => {
    const gone = { ...(await page(1)), file: path.join(folder, 'gone.jpg') };
    await expect(readPages([gone])).rejects.toMatchObject({ kind: 'permanent' });
  });
});

describe('aligning answers', () => {
  test('each question comes back once, its blocks in reading order', async () => {
    const { value, problems } = await grader.alignAnswers(alignRequest, within(10_000));
    expect(value).toEqual(alignedByLabels);
    expect(problems).toBeUndefined();
  });

  test('unknown questions and blocks and crossed-out blocks are dropped and reported', async () => {
    answerWith({
      answers: [
        {
          number: 2,
          blocks: [
            { page: 2, block: 0 },
            { page: 1, block: 0 },
            { page: 1, block: 0 },
          ],
        },
        {
          number: 1,
          blocks: [
            { page: 1, block: 1 },
            { page: 1, block: 9 },
            { page: 1, block: 2 },
          ],
        },
        { number: 77, blocks: [{ page: 1, block: 2 }] },
        { number: 1, blocks: [{ page: 2, block: 0 }] },
      ],
    });
    const { value, problems } = await grader.alignAnswers(alignRequest, within(10_000));
    expect(value).toEqual([
      alignedByLabels[0],
      {
        number: 2,
        blocks: [
          { page: 1, block: 0 },
          { page: 2, block: 0 },
        ],
      },
    ]);
    expect(problems?.sort()).toEqual([
      'block_claimed_twice',
      'crossed_out_block',
      'unknown_block',
      'unknown_question',
    ]);
  });

  test('a model that cannot align: blocks are assigned by their labels, with a problem and in evidence', async () => {
    server.behave([{ schemaName: 'align_answers', behaviour: { kind: 'violating' } }]);
    const { value, problems, usage, evidence } = await grader.alignAnswers(alignRequest, within(20_000));
    expect(value).toEqual(alignedByLabels);
    expect(problems).toEqual(['aligned_by_labels']);
    expect(usage.calls).toBe(3);
    const [last] = evidence.slice(-1);
    expect(last).toMatchObject({ call: 'align_answers', provider: 'baseline' });
    if (last === undefined) throw new Error('no evidence');
    // A replay gives the same result.
    expect(resettleAlignment(alignRequest, last)).toEqual(value);
    expect(askedToAlign(alignRequest, last)).toBe(true);
  });

  test('an endpoint that refuses the call does not lead to alignment by labels', async () => {
    server.behave([{ schemaName: 'align_answers', behaviour: { kind: 'status', status: 400 } }]);
    await expect(grader.alignAnswers(alignRequest, within(10_000))).rejects.toMatchObject({
      kind: 'permanent',
    });
  });

  test('a copy without writing costs no call', async () => {
    const { value, usage } = await grader.alignAnswers({ ...alignRequest, pages: [] }, within(10_000));
    expect(value).toEqual([
      { number: 1, blocks: [] },
      { number: 2, blocks: [] },
    ]);
    expect(usage.calls).toBe(0);
  });
});
