import { PDFDocument } from 'pdf-lib';
import { beforeAll, expect, test } from 'vitest';
import { closedAfterTests, newBucket } from '@evaluation/test-services';
import { copyPdf, examBody } from '../../fixtures/fixtures.ts';
import { createExam, submit, untilOver, uploadCopy } from '../../harness/api.ts';
import { startWithModel } from '../../harness/service.ts';
import { startStoreProxy } from '../../harness/storeProxy.ts';
import { expectError, newTenant } from '../../harness/tenant.ts';

let path: string;
let submissionId: string;
const store = closedAfterTests(await startStoreProxy((await newBucket()).endpoint));
const { service } = await startWithModel({ S3_ENDPOINT: store.endpoint });
closedAfterTests(service);

beforeAll(async () => {
  const exam = await createExam(service.api, examBody('science'));
  const upload = await uploadCopy(service.api, copyPdf('strong'));
  const submission = await submit(service.api, exam.id, {
    candidate: { external_id: 'C-1' },
    upload_id: upload,
  });
  expect(await untilOver(service.api, submission.id)).toMatchObject({ status: 'graded' });
  submissionId = submission.id;
  path = `/submissions/${submission.id}/checked-copy`;
});

test('the checked copy is a PDF, streamed, and requires the key', async () => {
  const response = await service.api.send(path, {});
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/pdf');
  const pdf = new Uint8Array(await response.arrayBuffer());
  expect(pdf.byteLength).toBe(Number(response.headers.get('content-length')));
  expect((await PDFDocument.load(pdf)).getPageCount()).toBeGreaterThan(6);
  expect((await fetch(`${service.baseUrl}${path}`)).status).toBe(401);
});

test('the client’s key is not passed to the object store', async () => {
  store.seen.length = 0;
  await service.api.download(path);
  const [asked, ...others] = store.seen.map(({ method, path: at }) => `${method} ${at.split('?')[0]}`);
  expect(asked).toContain(submissionId);
  expect(others).toEqual([]);
  expect(JSON.stringify(store.seen)).not.toContain(service.api.apiKey);
});

test('a key of another institute and one without evaluation:read get no checked copy', async () => {
  const other = await newTenant(service);
  expectError(await other.api.get(path), 404, 'not_found');
  const writer = await newTenant(service, { scopes: ['evaluation:write'] });
  expectError(await writer.api.get(path), 403, 'insufficient_scope');
});

test('while the object store is down the download answers 503, as an error and not as a PDF', async () => {
  store.setAway(true);
  const answer = await service.api.get(path);
  store.setAway(false);
  expectError(answer, 503, 'service_unavailable');
});

test('clients that disconnect in the middle do not delay the downloads of others', async () => {
  for (let round = 0; round < 40; round += 1) {
    const gone = new AbortController();
    const download = service.api.send(path, { signal: gone.signal });
    if (round % 2 === 0) gone.abort();
    else void download.then(() => gone.abort());
    await download.then((response) => response.arrayBuffer()).catch(() => {});
  }
  expect((await service.api.download(path)).byteLength).toBeGreaterThan(100_000);
});

test('a deleted submission has no checked copy any more', async () => {
  expect((await service.api.delete(`/submissions/${submissionId}`)).status).toBe(200);
  expectError(await service.api.get(path), 404, 'not_found');
});
