import sharp from 'sharp';
import { startModelServer, type ModelServer } from '@evaluation/test-services';
import type { Exam, Submission, Upload } from '@evaluation/rest-contract/schemas';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { badFile } from '../fixtures/fixtures.ts';
import { createExam, submit, untilOver, uploadCopy, type ErrorBody } from '../harness/api.ts';
import {
  contentBomb,
  deepTree,
  endlessDrawing,
  formLoop,
  hugePicture,
  lyingJpeg,
  manyPages,
  objectStreamBomb,
  pageTreeLoop,
} from '../harness/hostilePdfs.ts';
import { eventually, lookBehind, type BehindTheApi } from '../harness/ledger.ts';
import { processesIn } from '../harness/memory.ts';
import { handwrittenExam } from '../harness/papers.ts';
import { plainPdf, untilInspected } from '../harness/pdfs.ts';
import { startSplitService, type Program, type SplitService } from '../harness/processes.ts';

/*
 * Files made to exhaust the process that opens them, submitted all at once together with honest copies to one worker in
 * a separate process. Each file is opened in a child with bounds on time and memory.
 */

vi.setConfig({ testTimeout: 90_000, hookTimeout: 180_000 });

/** Rejected at inspection: no charge, nothing queued. packages/pdf and tools/fuzz/pdfs test further files. */
const REJECTED = {
  'a page tree that holds itself': pageTreeLoop,
  'a page tree of 20,000 levels': deepTree,
  'an object stream that unpacks to 600 MB': objectStreamBomb,
  'a page whose drawing unpacks to 700 MB': contentBomb,
  'a drawing that holds itself': formLoop,
  'a file that was cut off': () => badFile('truncated.pdf'),
  'a text that calls itself PDF': () => badFile('not-a-pdf.pdf'),
} satisfies Record<string, () => Buffer>;

let jpeg: Buffer;

/** Files that pass the inspection and fail when their pages are drawn for the model. */
const UNREADABLE = {
  'a page that takes minutes to draw': endlessDrawing,
  'a picture of 30,000 × 30,000 pixels': hugePicture,
  'a JPEG that says it is 65,500 × 65,500': () => lyingJpeg(jpeg, 65_500, 65_500),
} satisfies Record<string, () => Buffer>;

const READABLE = {
  'a JPEG that says it is larger than it is': () => lyingJpeg(jpeg, 1200, 1600),
} satisfies Record<string, () => Buffer>;

let model: ModelServer;
let service: SplitService;
let behind: BehindTheApi;
let worker: Program;
let exam: Exam;
const uploads = new Map<string, Upload>();
const ended = new Map<string, Submission>();
const honest: Submission[] = [];

let candidates = 0;
const submitted = (upload_id: string): Promise<Submission> => {
  candidates += 1;
  return submit(service.api, exam.id, { candidate: { external_id: `C-${candidates}` }, upload_id });
};
const gradeHonest = async (): Promise<void> => {
  const upload = await untilInspected(service.api, await uploadCopy(service.api, plainPdf(2)));
  const { id } = await submitted(upload.id);
  honest.push(await untilOver(service.api, id));
};

beforeAll(async () => {
  const lines = Array.from({ length: 12 }, (_, line) => `<path d="M60 ${80 + line * 55}h480"/>`);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="600" height="800"><rect width="100%" height="100%" fill="#fff"/><g stroke="#123" stroke-width="5">${lines.join('')}</g></svg>`;
  jpeg = await sharp(Buffer.from(svg)).flatten().jpeg().toBuffer();
  model = await startModelServer();
  service = await startSplitService({
    GRADER: 'openai',
    OPENAI_BASE_URL: model.baseUrl,
    INSPECT_SECONDS: '20',
    // Bounds for hostile files; an honest copy needs far less, also on a busy machine.
    PDF_SECONDS: '8',
    INSPECTION_WAIT_SECONDS: '30',
    COPY_CONCURRENCY: '3',
    TICK_MS: '400',
  });
  behind = lookBehind(service.database);
  exam = await createExam(service.api, handwrittenExam());
  worker = await service.startWorker();

  const look = async ([name, make]: [string, () => Buffer]): Promise<void> => {
    uploads.set(name, await untilInspected(service.api, await uploadCopy(service.api, make())));
  };
  const mark = async ([name, make]: [string, () => Buffer]): Promise<void> => {
    await look([name, make]);
    const { id } = await submitted(uploads.get(name)?.id ?? '');
    ended.set(name, await untilOver(service.api, id));
  };
  await Promise.all([
    ...Object.entries(UNREADABLE).map(mark),
    ...Object.entries(REJECTED).map(look),
    ...Object.entries(READABLE).map(mark),
    ...Array.from({ length: 3 }, gradeHonest),
  ]);
  await gradeHonest();
});
afterAll(async () => {
  await behind.close();
  await service.close();
  await model.close();
});

test.each(Object.keys(REJECTED))(
  '%s is rejected with a sentence that says what to do, and no submission accepts it',
  async (name) => {
    const upload = uploads.get(name);
    expect(upload).toMatchObject({
      status: 'rejected',
      reject_reason: expect.stringMatching(/^[A-Z].*\b([Uu]pload|[Ss]can|[Ss]ave|[Pp]rint)\b.*\.$/),
    });
    expect(upload?.reject_reason).not.toMatch(/pdfium|wasm|child|abort|error|tmp/i);
    const { status, body } = await service.api.post<ErrorBody>(`/exams/${exam.id}/submissions`, {
      candidate: { external_id: 'refused' },
      upload_id: upload?.id,
    });
    expect({ status, code: body.error.code }).toEqual({ status: 422, code: 'validation_failed' });
  },
);

test.each(Object.keys(UNREADABLE))(
  '%s ends as failed with copy_unreadable and a sentence that says what to do, and is not charged',
  async (name) => {
    const submission = ended.get(name);
    expect(submission).toMatchObject({
      status: 'failed',
      error: { code: 'copy_unreadable', message: expect.stringMatching(/^[A-Z].*\bsubmit the new file\.$/) },
      credits_charged: null,
    });
    const entries = await behind.entriesOf(submission?.id ?? '');
    expect(entries.map(({ kind }) => kind)).toEqual(['reserve', 'release']);
    // Tried once: a file that exhausted one child would exhaust the next one.
    expect(await behind.runOf(submission?.id ?? '')).toMatchObject({ status: 'failed', dead_leases: 0 });
  },
);

test.each(Object.keys(READABLE))('%s is graded', (name) => {
  expect(ended.get(name)).toMatchObject({ status: 'graded', credits_charged: 1 });
});

test('100,000 real pages are counted, and the submission answers too_many_pages', async () => {
  const upload = await untilInspected(service.api, await uploadCopy(service.api, manyPages()));
  expect(upload).toMatchObject({ status: 'ready', pages: 100_000 });
  const { status, body } = await service.api.post<ErrorBody>(`/exams/${exam.id}/submissions`, {
    candidate: { external_id: 'too-many' },
    upload_id: upload.id,
  });
  expect({ status, code: body.error.code }).toEqual({ status: 422, code: 'too_many_pages' });
});

test('honest copies beside and after the hostile ones are graded and charged by the same worker', async () => {
  expect(honest).toHaveLength(4);
  for (const submission of honest) {
    expect(submission).toMatchObject({ status: 'graded', credits_charged: 2, error: null });
  }
  expect(await Promise.race([worker.exited, Promise.resolve('alive')])).toBe('alive');
  const runs = await behind.query<{ worker: string }>(
    'select distinct worker from runs where worker is not null',
  );
  expect(runs.map(({ worker: name }) => name.split('/').at(-1))).toEqual([String(worker.pid)]);
});

test('no child process is left', async () => {
  await eventually('the worker alone', async () => processesIn(worker.pid).length === 1);
});
