import { randomUUID } from 'node:crypto';
import { PDFDocument } from 'pdf-lib';
import { describe, expect, test } from 'vitest';
import type { Exam, Submission, SubmissionList, Upload } from '@evaluation/rest-contract/schemas';
import { createExam, resultOf, submit, uploadCopy } from '../../harness/api.ts';
import { listRegistered } from '../../harness/candidates.ts';
import { handwrittenExam } from '../../harness/papers.ts';
import { plainPdf, untilInspected } from '../../harness/pdfs.ts';
import { restSuite } from '../../harness/restSuite.ts';
import { expectRefused, newTenant, stored, type Tenant } from '../../harness/tenant.ts';

/* Pages of an upload in a submission; uploads/create-and-complete.test.ts tests uploads alone. */

const { service, tenant } = await restSuite();
const exam = await createExam(tenant.api, handwrittenExam());

const someone = () => ({ candidate: { external_id: randomUUID() } });
const path = (target: Exam = exam): string => `/exams/${target.id}/submissions`;
const blankPages = async (count: number): Promise<Uint8Array> => {
  const pdf = await PDFDocument.create();
  for (let page = 0; page < count; page += 1) pdf.addPage([595, 842]);
  return pdf.save();
};
const submitCopy = async (pages: number): Promise<Submission> =>
  submit(tenant.api, exam.id, {
    ...someone(),
    upload_id: await uploadCopy(tenant.api, await blankPages(pages)),
  });

test('a copy with a damaged cross-reference table is accepted with the warning file_repaired', async () => {
  const damaged = Buffer.from(
    Buffer.from(await blankPages(3))
      .toString('latin1')
      .replace(/startxref\s+\d+/, 'startxref\n5'),
    'latin1',
  );
  const upload_id = await uploadCopy(tenant.api, damaged);
  const submission = await submit(tenant.api, exam.id, { ...someone(), upload_id });
  expect(submission).toMatchObject({ pages: 3, needs_review: false });
  expect(submission.warnings).toEqual([
    { code: 'file_repaired', message: expect.stringMatching(/^[A-Z].*scan the copy again\.$/) },
  ]);
  const { body } = await tenant.api.get<Submission>(`/submissions/${submission.id}`);
  expect(body.warnings).toEqual(submission.warnings);
});

describe('the page limits of a copy', () => {
  test.each([
    [1, false],
    [40, false],
    [41, true],
    [80, true],
  ])('a copy of %i pages is charged for each, also blank ones; flagged: %s', async (pages, isFlagged) => {
    const before = await tenant.credits();
    const submission = await submitCopy(pages);
    const reasons = isFlagged ? ['pages_beyond_vision_limit'] : [];
    expect(submission).toMatchObject({
      pages,
      lane: 'copy',
      status: 'queued',
      needs_review: isFlagged,
      review_reasons: reasons,
      quote: { unit: 'page', pages, credits: pages, rate_source: 'standard' },
      credits_charged: null,
    });
    expect(submission.warnings.map(({ code }) => code)).toEqual(reasons);
    for (const { message } of submission.warnings) expect(message).toMatch(/40th/);
    expect(await tenant.credits()).toEqual({ ...before, committed: before.committed + pages });

    // Warning and flag stay on later reads.
    const { body } = await tenant.api.get<Submission>(`/submissions/${submission.id}`);
    expect(stored(body)).toEqual(stored(submission));
    expect(await resultOf(tenant.api, submission.id)).toMatchObject({
      needs_review: isFlagged,
      review_reasons: reasons,
    });
    for (const flag of [true, false]) {
      const { body: list } = await tenant.api.get<SubmissionList>(`${path()}?needs_review=${flag}`);
      expect(list.data.some(({ id }) => id === submission.id)).toBe(flag === isFlagged);
    }
  });

  test('81 pages answer too_many_pages on every exam; the candidate is not registered and the upload stays ready', async () => {
    const upload_id = await uploadCopy(tenant.api, await blankPages(81));
    const ready = { id: upload_id, status: 'ready', pages: 81 };
    expect(await untilInspected(tenant.api, upload_id)).toEqual(ready);
    const other = await createExam(tenant.api, handwrittenExam());
    for (const asked of [other, exam, other]) {
      const body = { ...someone(), upload_id };
      await expectRefused(tenant, () => tenant.api.post(path(asked), body), 422, 'too_many_pages');
    }
    expect((await listRegistered(tenant.api, other.id)).data).toEqual([]);
    expect(await untilInspected(tenant.api, upload_id)).toEqual(ready);
  });

  test('a candidate whose copy was refused may send another', async () => {
    const who = someone();
    const upload_id = await uploadCopy(tenant.api, await blankPages(81));
    await expectRefused(tenant, () => tenant.api.post(path(), { ...who, upload_id }), 422, 'too_many_pages');
    const second = await uploadCopy(tenant.api, plainPdf(2));
    expect(await submit(tenant.api, exam.id, { ...who, upload_id: second })).toMatchObject({ pages: 2 });
  });
});

describe('upload_id names an upload of the institute', () => {
  const uploadOf = async (owner: Tenant, pdf: Uint8Array): Promise<string> => {
    const id = await uploadCopy(owner.api, pdf);
    await untilInspected(owner.api, id);
    return id;
  };

  test('an upload of another institute is refused, and stays ready for its own', async () => {
    const other = await newTenant(service);
    const upload_id = await uploadOf(other, plainPdf(1));
    await expectRefused(tenant, () => tenant.api.post(path(), { ...someone(), upload_id }), 404, 'not_found');
    expect((await other.api.get<Upload>(`/uploads/${upload_id}`)).body).toMatchObject({ status: 'ready' });
    const theirs = await createExam(other.api, handwrittenExam());
    expect((await submit(other.api, theirs.id, { ...someone(), upload_id })).pages).toBe(1);
  });

  test('upload_id is matched ignoring case', async () => {
    const upload_id = await uploadOf(tenant, plainPdf(1));
    expect(
      (await submit(tenant.api, exam.id, { ...someone(), upload_id: upload_id.toUpperCase() })).pages,
    ).toBe(1);
  });
});
