import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { closedAfterTests, folderForTests } from '@evaluation/test-services';
import { createGrader } from '../createGrader.ts';
import type { PageImage } from '../grader.ts';
import { within } from '../../test/requests.ts';
import { labelCore } from './labels.ts';
import { readTextOnly } from '../readTextOnly.ts';

/** Seven lines of print in DejaVu Sans: a heading and the answers to Q1 to Q4. */
const file = fileURLToPath(new URL('../../test/page.jpg', import.meta.url));
const scan: PageImage = { page: 1, file, width: 1100, height: 800, state: 'written' as const };

const grader = closedAfterTests(await createGrader({ provider: 'baseline' }));
const folder = await folderForTests('grader-ocr-');

const read = (page: PageImage, options = within(60_000)) =>
  grader.readPages({ pages: [page], context: null }, options);

describe('the baseline reads pages offline', () => {
  test('a scan, by OCR, with its labels and the places of its blocks', async () => {
    const { value } = await read(scan);
    const [page] = value;
    expect(page?.language).toBe('en');
    expect(page?.legibility).toBeGreaterThan(0.7);
    // OCR reads the 1 of "Q1" as l, so compare the cores of labels.
    const cores = page?.blocks.map(({ label }) => labelCore(label ?? ''));
    expect(cores).toEqual(['sectiona', '1', '2', '3a', '4']);
    expect(page?.blocks[3]?.text.replaceAll('\n', ' ')).toContain(
      'Photosynthesis is the process by which green plants',
    );
    const tops = page?.blocks.map(({ box }) => box.y) ?? [];
    expect(tops).toEqual([...tops].sort((a, b) => a - b));
    expect(page?.blocks[4]?.box.y).toBeCloseTo(0.73, 1);
  });

  test('a scan is read, aligned and judged from end to end', async () => {
    const { value: pages } = await read(scan);
    const questions = ['1', '2', '3(a)', '4'].map((label, index) => ({
      number: index + 1,
      label,
      section: 'A',
      type: ['mcq_single', 'numeric', 'long_answer', 'long_answer'][index] ?? '',
      text: 'text',
    }));
    const { value: answers } = await grader.alignAnswers({ questions, pages }, within(60_000));
    const texts = answers.map(({ blocks }) =>
      blocks.map(({ block }) => pages[0]?.blocks[block]?.text).join('\n'),
    );
    expect(texts.slice(0, 2)).toEqual(['(b)', '9.8']);
    const exam = { subject: null, level: 'school', board: null, class: null, instructions: null };
    const question = {
      label: '3(a)',
      type: 'long_answer',
      text: 'What is photosynthesis?',
      maxMarks: 2,
      options: [],
      correctOptions: [],
      answer: null,
      modelAnswer: null,
      partialMarking: true,
      criteria: [{ name: 'Process', marks: 2, keywords: ['glucose', 'nitrogen'], guidance: null }],
    };
    const box = pages[0]?.blocks[3]?.box ?? { x: 0, y: 0, width: 1, height: 1 };
    const text = texts[2] ?? '';
    const { value } = await grader.judgeAnswer(
      { exam, question, answer: { text, legibility: 0.9, blocks: [{ page: 1, box, text }] } },
      within(60_000),
    );
    expect(value).toMatchObject({ awarded: 1, feedback: expect.stringContaining('Missing: nitrogen.') });
  });

  test('a blank page gives no blocks and costs no OCR', async () => {
    const { value } = await read({ ...scan, file: '/nonexistent.jpg', state: 'clean' as const });
    expect(value).toEqual([{ page: 1, legibility: 1, language: 'en', turn: 0, blocks: [], printed: [] }]);
  });

  test('an abort ends OCR within a second, and the next page is still read', async () => {
    const abort = new AbortController();
    const reading = read(scan, within(60_000, abort.signal));
    setTimeout(() => abort.abort(new Error('cancelled')), 50);
    const started = performance.now();
    await expect(reading).rejects.toThrow('cancelled');
    expect(performance.now() - started).toBeLessThan(1050);
    const { value } = await read(scan);
    expect(value[0]?.blocks.length).toBe(5);
  });

  test('a deadline ends OCR as a transient failure', async () => {
    await expect(read(scan, within(30))).rejects.toMatchObject({ kind: 'transient' });
  });

  test('bytes that are not an image fail permanently and leave other pages readable', async () => {
    const broken = path.join(folder, 'broken.jpg');
    await writeFile(broken, Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(2000, 7)]));
    const bad = read({ ...scan, file: broken });
    const good = read(scan);
    await expect(bad).rejects.toMatchObject({ name: 'GraderFailure', kind: 'permanent' });
    expect((await good).value[0]?.blocks.length).toBe(5);
  });

  test('pages after the 40th are read offline, with any provider', async () => {
    const { value, usage } = await readTextOnly(
      {
        pages: [
          { ...scan, page: 41 },
          { ...scan, page: 42, state: 'clean' as const },
        ],
      },
      within(60_000),
    );
    expect(value.map(({ page, blocks }) => [page, blocks.length])).toEqual([
      [41, 5],
      [42, 0],
    ]);
    expect(usage.calls).toBe(0);
  });

  test('a closed grader reads no further page', async () => {
    const other = await createGrader({ provider: 'baseline' });
    await other.close();
    await expect(other.readPages({ pages: [scan], context: null }, within(60_000))).rejects.toMatchObject({
      kind: 'permanent',
    });
  });
});
