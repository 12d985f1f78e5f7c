import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Upload, UploadsCreated } from '@evaluation/rest-contract/schemas';
import { closedAfterTests } from '@evaluation/test-services';
import { badFile, copyPdf } from '../../fixtures/fixtures.ts';
import { createExam, submit, uploadCopy } from '../../harness/api.ts';
import { handwrittenExam } from '../../harness/papers.ts';
import { plainPdf, presign, put, untilInspected, type Address } from '../../harness/pdfs.ts';
import { signedAt } from '../../harness/presigned.ts';
import {
  expectError,
  expectPostRefused,
  expectRefused,
  newTenant,
  problemsIn,
  startIdleService,
} from '../../harness/tenant.ts';

// A busy machine inspects slowly; the first read waits longer, so that it has the outcome.
const service = closedAfterTests(await startIdleService({ INSPECTION_WAIT_SECONDS: '30' }));
const tenant = await newTenant(service);
const exam = await createExam(tenant.api, handwrittenExam());

const uploaded = async (pdf: Buffer): Promise<Upload> =>
  untilInspected(tenant.api, await uploadCopy(tenant.api, pdf));
const refuseSubmission = (uploadId: string, status: number, code: string) =>
  expectRefused(
    tenant,
    () =>
      tenant.api.post(`/exams/${exam.id}/submissions`, {
        candidate: { external_id: randomUUID() },
        upload_id: uploadId,
      }),
    status,
    code,
  );

describe('POST /uploads', () => {
  const file = { file_name: 'copy.pdf', content_type: 'application/pdf', size_bytes: 1 };

  test('each file gets an upload of its own, in the order sent, up to 100 files', async () => {
    const files = Array.from({ length: 100 }, (_, index) => ({ ...file, size_bytes: index + 1 }));
    const { status, body } = await tenant.api.post<UploadsCreated>('/uploads', { files });
    expect(status).toBe(201);
    expect(body.uploads).toHaveLength(100);
    expect(new Set(body.uploads.map(({ id }) => id)).size).toBe(100);
    expect(new Set(body.uploads.map(({ upload_url }) => upload_url)).size).toBe(100);
    body.uploads.forEach(({ status: state, headers }, index) => {
      expect(state).toBe('pending');
      expect(Object.fromEntries(new Headers(headers))).toEqual({
        'content-type': 'application/pdf',
        'content-length': String(index + 1),
      });
    });
  });

  test.each([
    ['no files', {}, 'files: required'],
    ['an empty list', { files: [] }, 'files: too_short'],
    ['101 files', { files: Array.from({ length: 101 }, () => file) }, 'files: too_long'],
    [
      'a file of no bytes',
      { files: [file, { ...file, size_bytes: 0 }] },
      'files[1].size_bytes: out_of_range',
    ],
    [
      'more than 50 MB',
      { files: [{ ...file, size_bytes: 50 * 1024 * 1024 + 1 }] },
      'files[0].size_bytes: out_of_range',
    ],
    ['half a byte', { files: [{ ...file, size_bytes: 1.5 }] }, 'files[0].size_bytes: invalid_type'],
    [
      'an image',
      { files: [{ ...file, content_type: 'image/jpeg' }] },
      'files[0].content_type: invalid_value',
    ],
    ['no name', { files: [{ ...file, file_name: '' }] }, 'files[0].file_name: required'],
  ])('%s is refused', async (_name, body, problem) => {
    const error = await expectPostRefused(tenant, 422, 'validation_failed', '/uploads', body);
    expect(problemsIn(error)).toEqual([problem]);
  });

  test('a file of 50 MB may be announced', async () => {
    expect((await presign(tenant.api, 50 * 1024 * 1024)).status).toBe('pending');
  });
});

describe('PUT to the presigned address', () => {
  test('the object store accepts exactly the announced size and type, without the API key', async () => {
    const pdf = plainPdf(2);
    const address = await presign(tenant.api, pdf.byteLength);
    const type = { 'content-type': 'application/pdf' };
    expect(await put(address, pdf.subarray(1), type)).toBe(403);
    expect(await put(address, Buffer.concat([pdf, Buffer.from('\n')]), type)).toBe(403);
    expect(await put(address, pdf, { 'content-type': 'text/plain' })).toBe(403);
    expect((await tenant.api.get<Upload>(`/uploads/${address.id}`)).body.status).toBe('pending');
    expect(address.upload_url).not.toContain(tenant.api.apiKey);
    expect(await put(address, pdf)).toBe(200);
    expect(await untilInspected(tenant.api, address.id)).toEqual({
      id: address.id,
      status: 'ready',
      pages: 2,
    });
  });

  test('the address expires after one hour, as announced, and the store refuses it a second later', async () => {
    const pdf = plainPdf(1);
    const address = await presign(tenant.api, pdf.byteLength);
    const query = new URL(address.upload_url).searchParams;
    expect(query.get('X-Amz-Expires')).toBe('3600');
    const [, year, month, day, hour, minute, second] =
      /^(....)(..)(..)T(..)(..)(..)Z$/.exec(query.get('X-Amz-Date') ?? '') ?? [];
    const givenOut = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
    expect(Math.abs(Date.now() - givenOut)).toBeLessThan(60_000);

    const secret = service.environment['S3_SECRET_ACCESS_KEY'] ?? '';
    const ago = (seconds: number) => ({
      ...address,
      upload_url: signedAt(address, new Date(Date.now() - seconds * 1000), secret),
    });
    expect(await put(ago(3601), pdf)).toBe(403);
    expect((await tenant.api.get<Upload>(`/uploads/${address.id}`)).body.status).toBe('pending');
    expect(await put(ago(3540), pdf)).toBe(200);
  });

  test('a truncated body, or one without length, is not stored; a longer body is cut off or not stored', async () => {
    const pdf = plainPdf(2);
    const fresh = async () => presign(tenant.api, pdf.byteLength);
    const state = async ({ id }: Address) =>
      (await tenant.api.get<Upload>(`/uploads/${id}`)).body.status === 'pending';

    const brokenOff = await fresh();
    expect(await putRaw(brokenOff, pdf.subarray(0, -1))).not.toBe(200);
    expect(await state(brokenOff)).toBe(true);

    const chunked = await fresh();
    const pieces = [Buffer.from(`${pdf.byteLength.toString(16)}\r\n`), pdf, Buffer.from('\r\n0\r\n\r\n')];
    const withoutLength = { 'Content-Type': 'application/pdf', 'Transfer-Encoding': 'chunked' };
    expect(await putRaw(chunked, Buffer.concat(pieces), withoutLength)).toBeGreaterThanOrEqual(400);
    expect(await state(chunked)).toBe(true);

    // The store may answer first or complain first; the test checks only the file.
    const runningOn = await fresh();
    await putRaw(runningOn, Buffer.concat([pdf, Buffer.from('and more')]));
    const { body } = await tenant.api.get<Upload>(`/uploads/${runningOn.id}`);
    const { id } = runningOn;
    expect([
      { id, status: 'pending' },
      { id, status: 'ready', pages: 2 },
    ]).toContainEqual(body);
  });

  test('a changed address is refused by the store', async () => {
    const pdf = plainPdf(1);
    const [mine, other] = [
      await presign(tenant.api, pdf.byteLength),
      await presign(tenant.api, pdf.byteLength),
    ];
    const swapped = new URL(mine.upload_url);
    swapped.pathname = new URL(other.upload_url).pathname;
    expect(await put({ ...mine, upload_url: swapped.href }, pdf)).toBe(403);
  });

  test('before the PUT an upload is pending, and a submission with it answers conflict', async () => {
    const address = await presign(tenant.api, 1000);
    const read = await tenant.api.get<Upload>(`/uploads/${address.id}`);
    expect(read).toMatchObject({ status: 200, body: { id: address.id, status: 'pending' } });
    expect(Object.keys(read.body).toSorted()).toEqual(['id', 'status']);
    await refuseSubmission(address.id, 409, 'conflict');
  });

  test('the first read after the PUT inspects the file; a submission counts as a read', async () => {
    const upload_id = await uploadCopy(tenant.api, plainPdf(3));
    const submission = await submit(tenant.api, exam.id, {
      candidate: { external_id: 'first-read' },
      upload_id,
    });
    expect(submission).toMatchObject({ status: 'queued', pages: 3, quote: { pages: 3, credits: 3 } });
  });

  test('another file PUT to the address after the inspection changes nothing', async () => {
    const small = plainPdf(2);
    const large = plainPdf(5);
    const padded = plainPdf(2, large.byteLength);
    expect(padded.byteLength).toBe(large.byteLength);
    expect(small.byteLength).toBeLessThan(large.byteLength);
    const address = await presign(tenant.api, large.byteLength);
    expect(await put(address, padded)).toBe(200);
    expect(await untilInspected(tenant.api, address.id)).toMatchObject({ status: 'ready', pages: 2 });

    await put(address, large);
    expect(await untilInspected(tenant.api, address.id)).toMatchObject({ status: 'ready', pages: 2 });
    const submission = await submit(tenant.api, exam.id, {
      candidate: { external_id: 'swapped' },
      upload_id: address.id,
    });
    expect(submission).toMatchObject({ pages: 2, quote: { pages: 2, credits: 2 } });
  });
});

/** Sends a raw PUT with these bytes as the body, whatever length was announced. @returns the status; 0 for none */
const putRaw = async (
  { upload_url, headers }: Address,
  body: Buffer,
  others: Record<string, string> = headers,
): Promise<number> => {
  const { host, hostname, port, pathname, search } = new URL(upload_url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  const lines = Object.entries({ Host: host, Connection: 'close', ...others }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.end(
    Buffer.concat([Buffer.from(`PUT ${pathname}${search} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`), body]),
  );
  const answer: Buffer[] = [];
  try {
    for await (const piece of socket) answer.push(piece);
  } catch {
    // The store closed the connection; an earlier status counts.
  }
  return Number(/^HTTP\/1.1 (\d{3})/.exec(Buffer.concat(answer).toString('latin1'))?.[1] ?? 0);
};

describe('inspection of the file', () => {
  test('a scanned copy is ready with its page count', async () => {
    expect(await uploaded(copyPdf('weak'))).toMatchObject({ status: 'ready', pages: 6 });
  });

  test.each(['not-a-pdf.pdf', 'truncated.pdf', 'encrypted.pdf'] as const)(
    '%s is rejected permanently with a readable reason, and no submission accepts it',
    async (name) => {
      const upload = await uploaded(badFile(name));
      expect(upload).toMatchObject({ status: 'rejected', reject_reason: expect.stringMatching(/^.{20,}$/s) });
      expect(upload).not.toHaveProperty('pages');
      expect(upload.reject_reason).not.toMatch(/\/|Error|pdfium|child|tmp/i);
      const error = await refuseSubmission(upload.id, 422, 'validation_failed');
      expect(problemsIn(error)).toEqual(['upload_id: upload_rejected']);
      expect(await untilInspected(tenant.api, upload.id)).toEqual(upload);
    },
  );

  test('the reason for an encrypted file mentions its password', async () => {
    expect((await uploaded(badFile('encrypted.pdf'))).reject_reason).toMatch(/password/i);
  });
});

describe('an upload is used by one submission only', () => {
  test('a second candidate cannot use the same upload, on this exam or another', async () => {
    const upload = await uploaded(plainPdf(1));
    await submit(tenant.api, exam.id, { candidate: { external_id: 'owner' }, upload_id: upload.id });
    await refuseSubmission(upload.id, 409, 'conflict');
    const other = await createExam(tenant.api, handwrittenExam());
    await expectPostRefused(tenant, 409, 'conflict', `/exams/${other.id}/submissions`, {
      candidate: { external_id: 'owner' },
      upload_id: upload.id,
    });
    expect(await untilInspected(tenant.api, upload.id)).toEqual(upload);
  });

  test('it stays used after its submission was deleted, for every candidate', async () => {
    const upload = await uploaded(plainPdf(1));
    const body = { candidate: { external_id: 'deleted' }, upload_id: upload.id };
    const { id } = await submit(tenant.api, exam.id, body);
    expect((await tenant.api.delete(`/submissions/${id}`)).status).toBe(200);
    await refuseSubmission(upload.id, 409, 'conflict');
    await expectPostRefused(tenant, 409, 'conflict', `/exams/${exam.id}/submissions`, body);
    expect(await untilInspected(tenant.api, upload.id)).toEqual(upload);
  });

  test('it stays used after its submission was replaced, and a replacement needs its own upload', async () => {
    const [first, second] = [await uploaded(plainPdf(1)), await uploaded(plainPdf(2))];
    const candidate = { external_id: 'replaced' };
    const path = `/exams/${exam.id}/submissions`;
    await submit(tenant.api, exam.id, { candidate, upload_id: first.id });
    const again = (upload_id: string) => tenant.api.post(path, { candidate, upload_id, replace: true });
    await expectRefused(tenant, () => again(first.id), 409, 'conflict');
    expect((await again(second.id)).status).toBe(202);
    await expectRefused(tenant, () => again(first.id), 409, 'conflict');
    await refuseSubmission(first.id, 409, 'conflict');
    await refuseSubmission(second.id, 409, 'conflict');
  });

  test('a refused submission leaves its upload unused', async () => {
    const poor = await newTenant(service, { credits: 1 });
    const paper = await createExam(poor.api, handwrittenExam());
    const upload_id = await uploadCopy(poor.api, plainPdf(2));
    const body = { candidate: { external_id: 'later' }, upload_id };
    await expectPostRefused(poor, 402, 'insufficient_credits', `/exams/${paper.id}/submissions`, body);
    await service.control.as({}).control.grantCredits.mutate({ institute_id: poor.instituteId, amount: 1 });
    expect((await submit(poor.api, paper.id, body)).status).toBe('queued');
  });
});

test.each([randomUUID(), 'not-a-uuid', '%00', ' ', ''])(
  'an upload that does not exist (%s) answers 404',
  async (id) => {
    expectError(await tenant.api.get(`/uploads/${id}`), 404, 'not_found');
    expect((await refuseSubmission(id, 404, 'not_found')).message).toMatch(/upload/);
  },
);
