import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { CreditQuote } from '@evaluation/rest-contract/schemas';
import { closedAfterTests } from '@evaluation/test-services';
import { createExam, submit, uploadCopy } from '../../harness/api.ts';
import { behind } from '../../harness/behind.ts';
import { handwrittenExam } from '../../harness/papers.ts';
import { plainPdf, presign, untilInspected } from '../../harness/pdfs.ts';
import {
  expectError,
  expectInvalid,
  expectOk,
  expectPostRefused,
  newTenant,
  startIdleService,
} from '../../harness/tenant.ts';

// Inspections of one institute run one after the other, so the first read has to wait longer.
const service = closedAfterTests(await startIdleService({ INSPECTION_WAIT_SECONDS: '30' }));
const owner = await newTenant(service, { credits: 10 });

const ask = <T = CreditQuote>(body: unknown, tenant = owner) => tenant.api.post<T>('/credits/quote', body);

const quoted = async (body: unknown, tenant = owner): Promise<CreditQuote> =>
  expectOk(await ask(body, tenant));

const refusedFields = async (body: unknown): Promise<string[]> => expectInvalid(await ask<never>(body));

describe('POST /credits/quote', () => {
  test('prices pages and typed answers, with the available credits and whether they suffice', async () => {
    expect(await quoted({ pages: 10 })).toEqual({ total: 10, available: 10, sufficient: true });
    expect(await quoted({ pages: 11 })).toEqual({ total: 11, available: 10, sufficient: false });
    expect(await quoted({ typed_answers: 3 })).toEqual({ total: 3, available: 10, sufficient: true });
  });

  test('quotes pages of many copies together, beyond the limit of one copy', async () => {
    expect(await quoted({ pages: 4000 })).toMatchObject({ total: 4000, sufficient: false });
  });

  test('quotes 0 for nothing, which is sufficient even without available credits', async () => {
    const poor = await newTenant(service, { credits: 0 });
    for (const body of [{ pages: 0 }, { typed_answers: 0 }]) {
      expect(await quoted(body, poor)).toEqual({ total: 0, available: 0, sufficient: true });
    }
  });

  test('uses contract prices exactly; a price of 0 is always sufficient', async () => {
    const contract = await newTenant(service, { credits: 0.3 });
    await contract.edit({ credits_per_page: 0.1, credits_per_answer: 0 });
    expect(await quoted({ pages: 3 }, contract)).toEqual({ total: 0.3, available: 0.3, sufficient: true });
    expect(await quoted({ pages: 4 }, contract)).toMatchObject({ total: 0.4, sufficient: false });
    expect(await quoted({ typed_answers: 99 }, contract)).toMatchObject({ total: 0, sufficient: true });
  });

  test('counts the credit limit as available', async () => {
    const limited = await newTenant(service, { credits: 1 });
    await limited.edit({ credit_limit: 2 });
    expect(await quoted({ pages: 3 }, limited)).toEqual({ total: 3, available: 3, sufficient: true });
  });

  test('reserves nothing and does not count towards the daily quota', async () => {
    const before = (await owner.api.get('/me')).body;
    await quoted({ pages: 5 });
    expect(await quoted({ pages: 10 })).toMatchObject({ available: 10, sufficient: true });
    expect((await owner.api.get('/me')).body).toEqual(before);
  });

  test('requires exactly one way; null counts as omitted, and unknown fields are ignored', async () => {
    expect(await refusedFields({})).toEqual(['pages: required']);
    expect(await refusedFields({ pages: null, typed_answers: null, copies: 3 })).toEqual(['pages: required']);
    expect(await refusedFields({ pages: 1, typed_answers: 2 })).toEqual(['typed_answers: not_allowed']);
    expect(await refusedFields({ pages: 1, upload_ids: [randomUUID()], typed_answers: 2 })).toEqual([
      'upload_ids: not_allowed',
      'typed_answers: not_allowed',
    ]);
    expect(await quoted({ pages: null, typed_answers: 2 })).toMatchObject({ total: 2 });
  });

  test('refuses each value that is not a whole number from 0 on by its field, with every problem at once', async () => {
    for (const [value, code] of [
      [-1, 'out_of_range'],
      [1.5, 'invalid_type'],
      ['3', 'invalid_type'],
      [2 ** 53, 'out_of_range'],
    ]) {
      expect(await refusedFields({ pages: value })).toEqual([`pages: ${String(code)}`]);
      expect(await refusedFields({ typed_answers: value })).toEqual([`typed_answers: ${String(code)}`]);
    }
    expect(await refusedFields({ pages: -1, upload_ids: [] })).toEqual([
      'pages: out_of_range',
      'upload_ids: too_short',
      'upload_ids: not_allowed',
    ]);
  });

  test('accepts at most 100 uploads, each once, in any case', async () => {
    const many = Array.from({ length: 101 }, () => randomUUID());
    expect(await refusedFields({ upload_ids: many })).toEqual(['upload_ids: too_long']);
    const [one = ''] = many;
    expect(await refusedFields({ upload_ids: [one, randomUUID(), one.toUpperCase()] })).toEqual([
      'upload_ids[2]: duplicate',
    ]);
  });

  test('quotes uploads by their pages, also as the first read after the PUT', async () => {
    const ids = await Promise.all([1, 3, 4].map((pages) => uploadCopy(owner.api, plainPdf(pages))));
    expect(await quoted({ upload_ids: ids })).toEqual({ total: 8, available: 10, sufficient: true });
    expect((await owner.api.get(`/uploads/${ids[2]}`)).body).toMatchObject({ status: 'ready', pages: 4 });
  });

  test('an upload that is unknown, of another institute or malformed answers not_found, and no upload is read', async () => {
    const mine = await uploadCopy(owner.api, plainPdf(1));
    const other = await newTenant(service);
    const theirs = await uploadCopy(other.api, plainPdf(1));
    for (const id of [randomUUID(), theirs, 'no-id']) {
      expectError(await ask<never>({ upload_ids: [mine, id] }), 404, 'not_found');
    }
    const rows = await behind(service.database, 'select status from uploads where id = any($1)', [
      [mine, theirs],
    ]);
    expect(rows).toEqual([{ status: 'pending' }, { status: 'pending' }]);
  });

  test('an upload without a PUT answers conflict', async () => {
    const { id } = await presign(owner.api, 1000);
    expectError(await ask<never>({ upload_ids: [id] }), 409, 'conflict');
  });

  test('an upload that a submission uses answers conflict, like a second submission of it', async () => {
    const exam = await createExam(owner.api, handwrittenExam());
    const id = await uploadCopy(owner.api, plainPdf(1));
    await untilInspected(owner.api, id);
    await submit(owner.api, exam.id, { candidate: { external_id: 'a' }, upload_id: id });
    expectError(await ask<never>({ upload_ids: [id] }), 409, 'conflict');
  });

  test('rejected uploads are listed, each by its index and with the reason', async () => {
    const good = await uploadCopy(owner.api, plainPdf(1));
    const bad = await Promise.all(
      ['not a PDF', 'nor this'].map((text) => uploadCopy(owner.api, Buffer.from(text))),
    );
    expect(await refusedFields({ upload_ids: [bad[0], good, bad[1]] })).toEqual([
      'upload_ids[0]: upload_rejected',
      'upload_ids[2]: upload_rejected',
    ]);
  });

  test('an upload of more than 80 pages answers too_many_pages, like its submission', async () => {
    const [most, more] = await Promise.all([80, 81].map((pages) => uploadCopy(owner.api, plainPdf(pages))));
    expect(await quoted({ upload_ids: [most] })).toMatchObject({ total: 80, sufficient: false });
    expectError(await ask<never>({ upload_ids: [more] }), 422, 'too_many_pages');
  });

  test('a sufficient quote is accepted at that price, and an insufficient one answers 402', async () => {
    const payer = await newTenant(service, { credits: 5 });
    await payer.edit({ credits_per_page: 1.25 });
    const exam = await createExam(payer.api, handwrittenExam());
    const [four = '', one = ''] = await Promise.all(
      [4, 1].map((pages) => uploadCopy(payer.api, plainPdf(pages))),
    );
    const copy = (id: string) => ({ candidate: { external_id: id }, upload_id: id });
    expect(await quoted({ upload_ids: [four] }, payer)).toMatchObject({ total: 5, sufficient: true });
    const accepted = await submit(payer.api, exam.id, copy(four));
    expect(accepted.quote).toEqual({ unit: 'page', pages: 4, credits: 5, rate_source: 'contract' });
    expect(await quoted({ upload_ids: [one] }, payer)).toEqual({
      total: 1.25,
      available: 0,
      sufficient: false,
    });
    await expectPostRefused(payer, 402, 'insufficient_credits', `/exams/${exam.id}/submissions`, copy(one));
  });

  test('a quote changes nothing, so its idempotency key is not stored: the same key quotes again', async () => {
    const send = (body: object) =>
      owner.api.send('/credits/quote', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': 'quote' },
        body: JSON.stringify(body),
      });
    for (const body of [{ pages: 1 }, { pages: 2 }]) {
      const answer = await send(body);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('idempotent-replayed')).toBeNull();
      expect(await answer.json()).toMatchObject({ total: body.pages });
    }
  });
});
