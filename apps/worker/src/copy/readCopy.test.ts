import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { coreOverHttp, type CoreAccess } from '@evaluation/core-client';
import { createGrader, type Grader } from '@evaluation/grader';
import type { PageImage } from '@evaluation/pdf';
import { readWorkerSettings } from '@evaluation/platform/settings';
import { createLogger } from '@evaluation/platform/telemetry';
import { startModelServer, type ModelServer } from '@evaluation/test-services';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { holdRun } from '../run/heldRun.ts';
import { runMaterial } from '../../test/runMaterial.ts';
import { countUsage } from '../run/usage.ts';
import { readCopy } from './readCopy.ts';

/* Broken pages have no image file, so OCR fails as on a page that breaks its engine. */

const material = runMaterial('copy');
/** Print with five blocks. */
const PRINT = fileURLToPath(new URL('../../../../packages/grader/test/page.jpg', import.meta.url));
/** Of the reader, for print: 0.9 to 1. */
const LEGIBLE: unknown = expect.closeTo(0.95, 1);

const page = (number: number, more: Partial<PageImage> = {}): PageImage => ({
  page: number,
  file: PRINT,
  picture: { file: PRINT, rotation: 0 },
  ink: null,
  width: 10,
  height: 10,
  parts: [],
  pageWidth: 10,
  pageHeight: 10,
  points: { width: 595, height: 842 },
  state: 'written',
  showsInk: true,
  skewDegrees: 0,
  ...more,
});
const broken = (number: number) => page(number, { file: '/nowhere/page.jpg' });

let server: Server;
let core: CoreAccess;
let model: ModelServer;
let baseline: Grader;
let openai: Grader;
const log = createLogger({ service: 'worker', level: 'silent' });
const settings = readWorkerSettings({
  CORE_URL: 'http://core',
  CORE_GRADING_TOKEN: 'g'.repeat(32),
  NATS_URL: 'nats://lanes',
});

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ result: { data: { standing: [] } } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  core = coreOverHttp({ url: `http://127.0.0.1:${port}`, token: 'g'.repeat(32) });
  model = await startModelServer();
  baseline = await createGrader({ provider: 'baseline' });
  openai = await createGrader({
    provider: 'openai',
    baseUrl: model.baseUrl,
    apiKey: 'sk-not-a-real-key',
    model: 'm',
    maxConcurrentCalls: 4,
    callTimeoutSeconds: 20,
  });
});
afterAll(async () => {
  await baseline.close();
  await openai.close();
  await core.close();
  await model.close();
  server.close();
});

const read = async (grader: Grader, images: PageImage[]) => {
  const run = holdRun(core, material, log);
  try {
    return await readCopy(
      { grader, settings, log },
      run,
      countUsage(grader, settings.prices, null, 'copy'),
      images,
    );
  } finally {
    run.close();
  }
};
const summaryOf = (pages: Awaited<ReturnType<typeof read>>) =>
  pages.map(({ page: number, legibility, blocks, problems }) => [
    number,
    legibility,
    blocks.length,
    problems,
  ]);
const upTo = (last: number, more: Partial<PageImage> = {}) =>
  Array.from({ length: last }, (_, index) => page(index + 1, more));

describe('a page on which OCR fails', () => {
  test('is left to a teacher if it is after the 40th; the other pages and the copy are graded', async () => {
    const pages = await read(openai, [
      ...upTo(40, { state: 'clean' as const }),
      broken(41),
      page(42),
      page(43, { state: 'clean' as const }),
    ]);
    expect(summaryOf(pages).slice(40)).toEqual([
      [41, 0, 0, ['page_not_read']],
      [42, LEGIBLE, 5, undefined],
      [43, 1, 0, undefined],
    ]);
    expect(model.calls).toEqual([]);
  });

  test('is left to a teacher at any place with the baseline grader', async () => {
    expect(summaryOf(await read(baseline, [broken(1), page(2)]))).toEqual([
      [1, 0, 0, ['page_not_read']],
      [2, LEGIBLE, 5, undefined],
    ]);
  });

  test('together with all other pages fails the copy, but not as unreadable', async () => {
    await expect(read(baseline, [broken(1), broken(2)])).rejects.toMatchObject({
      name: 'GraderFailure',
      kind: 'malformed',
    });
  });
});

test('an endpoint that refuses every request fails the copy', async () => {
  model.behave([{ behaviour: { kind: 'status', status: 400 } }]);
  // Any existing file: the fake endpoint does not look at the image.
  const file = import.meta.filename;
  await expect(read(openai, [page(1, { file }), page(2, { file }), broken(41)])).rejects.toMatchObject({
    kind: 'permanent',
  });
});
