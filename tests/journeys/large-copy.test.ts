import { startModelServer, type ModelServer } from '@evaluation/test-services';
import type { Result, Submission, Upload } from '@evaluation/rest-contract/schemas';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createExam, resultOf, submit, untilOver } from '../harness/api.ts';
import { largeCopy, type LargePage } from '../harness/largeCopy.ts';
import { watchMemory, type Peak } from '../harness/memory.ts';
import { handwrittenExam, longAnswer } from '../harness/papers.ts';
import { presign, put, untilInspected, textOfPages } from '../harness/pdfs.ts';
import { startSplitService, type SplitService } from '../harness/processes.ts';

/*
 * The largest allowed copy, 80 pages in 50 MB, through the whole service, with a separate worker whose memory is
 * watched. The model server knows only the pages that the model may see.
 */

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const MEGABYTE = 1024 * 1024;
const PAGES = 80;
const VISION_PAGES = 40;
/** Memory of a container that must hold a worker with all of its children, one of which is the offline reader. */
const WORKER_BYTES = 1280 * MEGABYTE;

const LATE = 'Water moves to the salty side of the membrane.';
const LAST = 'Plants lose water through small openings in their leaves.';

const PASTED = 'A model answer that was pasted beneath the picture.';
const moreOn = (page: number) => `more of it on sheet number ${page}`;

/** Three questions: answered on a page that the model sees, on the first page that it does not see, and on the last. */
const pages: LargePage[] = Array.from({ length: PAGES }, (_, index) => {
  const page = index + 1;
  if (page === VISION_PAGES + 1) return { lines: [`Q2. ${LATE}`], hidden: [`Q2. ${PASTED}`] };
  if (page === PAGES) return { typed: [`Q3. ${LAST}`] };
  return page <= VISION_PAGES ? {} : { lines: [] };
});

let model: ModelServer;
let service: SplitService;
let upload: Upload;
let accepted: Submission;
let graded: Submission;
let result: Result;
let checkedCopy: Uint8Array;
let checkedHeaders: Headers;
let idle: Peak;
let peak: Peak;

beforeAll(async () => {
  const copy = await largeCopy(pages, 50 * MEGABYTE);
  model = await startModelServer();
  model.know({
    pagesByNumber: Object.fromEntries(
      pages
        .slice(0, VISION_PAGES)
        .map((_, index) => [
          index + 1,
          index === 0
            ? { blocks: [{ label: 'Q1', text: 'Light becomes sugar in the leaf.' }] }
            : { blocks: [{ continues: true, text: moreOn(index + 1) }] },
        ]),
    ),
  });
  service = await startSplitService({
    GRADER: 'openai',
    OPENAI_BASE_URL: model.baseUrl,
    INSPECTION_WAIT_SECONDS: '30',
  });
  const { api } = service;
  const exam = await createExam(
    api,
    handwrittenExam({ questions: [longAnswer('1'), longAnswer('2'), longAnswer('3')] }),
  );
  const worker = await service.startWorker();
  const beforehand = watchMemory(worker.pid);
  const address = await presign(api, copy.byteLength);
  expect(await put(address, copy)).toBe(200);
  idle = await beforehand.stop();

  const memory = watchMemory(worker.pid);
  upload = await untilInspected(api, address.id);
  accepted = await submit(api, exam.id, {
    candidate: { external_id: 'large', name: 'Zebulon Quackenbush' },
    upload_id: address.id,
  });
  graded = await untilOver(api, accepted.id);
  peak = await memory.stop();
  result = await resultOf(api, accepted.id, '?include=annotations');
  const response = await api.send(`/submissions/${accepted.id}/checked-copy`, {});
  checkedHeaders = response.headers;
  checkedCopy = new Uint8Array(await response.arrayBuffer());
});
afterAll(async () => {
  await service.close();
  await model.close();
});

test('50 MB and 80 pages are accepted with the warning, flagged for review, and charged by the page', async () => {
  expect(upload).toMatchObject({ status: 'ready', pages: PAGES });
  expect(accepted).toMatchObject({
    pages: PAGES,
    warnings: [{ code: 'pages_beyond_vision_limit' }],
    needs_review: true,
    quote: { unit: 'page', pages: PAGES, credits: PAGES },
  });
  expect(graded).toMatchObject({
    status: 'graded',
    error: null,
    needs_review: true,
    credits_charged: PAGES,
  });
  expect(graded.review_reasons).toContain('pages_beyond_vision_limit');
});

test('the model sees the first 40 pages, and answers on later pages are read offline and graded', () => {
  const asked = model.calls.filter(({ schemaName }) => schemaName === 'read_pages');
  const seen = asked.flatMap(({ body }) =>
    [...JSON.stringify(body['messages']).matchAll(/"Page (\d+)"/g)].map(([, page]) => Number(page)),
  );
  expect(seen.toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: VISION_PAGES }, (_, index) => index + 1),
  );

  expect(result.questions.map(({ label, status, source }) => ({ label, status, source }))).toEqual(
    ['1', '2', '3'].map((label) => ({ label, status: 'graded', source: 'ai' })),
  );
  const [, late, last] = result.questions.map(({ extracted_answer }) =>
    extracted_answer?.replace(/\s+/g, ' '),
  );
  expect(late).toContain(LATE);
  expect(last).toContain(LAST);
  expect(JSON.stringify(result)).not.toContain(PASTED);
  expect(result.questions[2]?.annotations?.map(({ page }) => page)).toContain(PAGES);
});

test('the checked copy has every page, and the marks on the last one', async () => {
  expect(result.checked_copy.available).toBe(true);
  expect(checkedHeaders.get('content-type')).toBe('application/pdf');
  expect(Number(checkedHeaders.get('content-length'))).toBe(checkedCopy.byteLength);
  // Scanned pages keep their pictures; the padding of the upload is dropped.
  expect(checkedCopy.byteLength).toBeGreaterThan(MEGABYTE);
  expect(checkedCopy.byteLength).toBeLessThan(50 * MEGABYTE);
  const text = await textOfPages(checkedCopy);
  expect(text.length).toBeGreaterThan(PAGES);
  expect(text[PAGES - 1]).toContain('Q3 2/2');
});

test('the worker and its children never hold more than 1,280 MB, and PDF work ran in children', () => {
  const summary = `${Math.round(peak.bytes / MEGABYTE)} MB: ${peak.processes
    .map(({ bytes, command }) => `${Math.round(bytes / MEGABYTE)} ${command.slice(-90)}`)
    .join('; ')}`;
  expect(idle.processes).toHaveLength(1);
  expect(peak.bytes, summary).toBeGreaterThan(idle.bytes);
  expect(peak.bytes, summary).toBeLessThan(WORKER_BYTES);
});
