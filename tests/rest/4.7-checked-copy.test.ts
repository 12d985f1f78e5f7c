import { PDFDocument } from 'pdf-lib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startModelServer, type ModelServer } from '@evaluation/test-services';
import { copyPdf, examBody } from '../fixtures/fixtures.ts';
import { createExam, submit, untilOver, uploadCopy } from '../harness/api.ts';
import { startService, type TestService } from '../harness/service.ts';

let service: TestService;
let model: ModelServer;
let path: string;
beforeAll(async () => {
  model = await startModelServer();
  service = await startService({
    GRADER: 'openai',
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_API_KEY: 'test',
    GRADER_MODEL: 'm',
  });
  const exam = await createExam(service.api, examBody('science'));
  const upload = await uploadCopy(service.api, copyPdf('strong'));
  const submission = await submit(service.api, exam.id, {
    candidate: { external_id: 'C-1' },
    upload_id: upload,
  });
  expect(await untilOver(service.api, submission.id)).toMatchObject({ status: 'graded' });
  path = `/submissions/${submission.id}/checked-copy`;
});
afterAll(async () => {
  await service.close();
  await model.close();
});

test('4.7 the checked copy is a PDF, streamed, and only with the key', async () => {
  const response = await service.api.send(path, {});
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/pdf');
  const pdf = new Uint8Array(await response.arrayBuffer());
  expect(pdf.byteLength).toBe(Number(response.headers.get('content-length')));
  expect((await PDFDocument.load(pdf)).getPageCount()).toBeGreaterThan(6);
  expect((await fetch(`${service.baseUrl}${path}`)).status).toBe(401);
});

test('4.7 clients that go away in the middle do not keep others from their copies', async () => {
  for (let round = 0; round < 40; round += 1) {
    const gone = new AbortController();
    const download = service.api.send(path, { signal: gone.signal });
    if (round % 2 === 0) gone.abort();
    else void download.then(() => gone.abort());
    await download.then((response) => response.arrayBuffer()).catch(() => {});
  }
  expect((await service.api.download(path)).byteLength).toBeGreaterThan(100_000);
});
