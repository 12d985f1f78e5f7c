import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Candidate, Exam, Submission } from '@evaluation/rest-contract/schemas';
import { answerOf, createExam } from '../../harness/api.ts';
import { mcq, typedExam } from '../../harness/papers.ts';
import { restSuite } from '../../harness/restSuite.ts';
import { expectInvalid } from '../../harness/tenant.ts';

const { tenant } = await restSuite();
const exam = await createExam(tenant.api, typedExam([mcq('1')]));

/** A JSON object with numbers that JavaScript cannot represent, or would write differently. */
const EXACT = '{"n":12345678901234567890123,"z":1.0,"e":[1e2,-0,0.10],"a":{"b":"1.0 \\" é"}}';
/** An object that imitates the service's internal encoding of exact numbers. */
const ALIKE = '{"$exact_json":"{}","a":[{"$exact_json":"[]"}]}';

const text = async (path: string): Promise<string> => (await tenant.api.send(path, { method: 'GET' })).text();

const send = async (method: string, path: string, body: string, headers: Record<string, string> = {}) => {
  const response = await tenant.api.send(path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

describe.each([
  ['numbers that JavaScript would change', EXACT],
  ['what looks like our own form of such an object', ALIKE],
])('%s come back as sent', (_name, metadata) => {
  const shown = `"metadata":${metadata}`;

  test('metadata of a candidate: by its id, in a search, and on an exam', async () => {
    const external_id = randomUUID();
    const created = await send(
      'POST',
      '/candidates',
      `{"candidates":[{"external_id":"${external_id}", "metadata": ${metadata}}]}`,
    );
    const { candidates } = JSON.parse(created.text) as { candidates: Candidate[] };
    const id = candidates[0]?.id ?? '';
    expect(await text(`/candidates/${id}`)).toContain(shown);
    expect(
      (await send('POST', '/candidates/search', JSON.stringify({ external_ids: [external_id] }))).text,
    ).toContain(shown);
    await tenant.api.post(`/exams/${exam.id}/candidates`, { candidate_ids: [id] });
    expect(await text(`/exams/${exam.id}/candidates?limit=200`)).toContain(shown);
  });

  test('metadata of a submission: created, read, listed, in the feed, and in a replay', async () => {
    const body = `{"candidate":{"external_id":"${randomUUID()}"},"answers":[],"metadata":${metadata}}`;
    const key = { 'idempotency-key': randomUUID() };
    const created = await send('POST', `/exams/${exam.id}/submissions`, body, key);
    expect({ status: created.status, text: created.text }).toMatchObject({
      status: 202,
      text: expect.stringContaining(shown),
    });
    const { id } = JSON.parse(created.text) as Submission;
    for (const path of [
      `/submissions/${id}`,
      `/exams/${exam.id}/submissions?limit=200`,
      '/submissions?limit=200',
    ]) {
      expect(await text(path)).toContain(shown);
    }
    const again = await send('POST', `/exams/${exam.id}/submissions`, body, key);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.text).toBe(created.text);
  });

  test('tags of a question, in an answer and after an edit', async () => {
    const draft = await tenant.api.post<Exam>('/exams', typedExam([mcq('1')], { open: false }));
    const [question] = draft.body.questions;
    const path = `/exams/${draft.body.id}/questions`;
    const edited = await send('PATCH', `${path}/${question?.id}`, `{"tags":${metadata}}`);
    expect(edited.text).toContain(`"tags":${metadata}`);
    expect(await text(path)).toContain(`"tags":${metadata}`);
  });
});

test('with an idempotency key, equal numbers make an equal request and different numbers a different one', async () => {
  const key = { 'idempotency-key': randomUUID() };
  const post = (number: string) =>
    send(
      'POST',
      '/candidates',
      `{"candidates":[{"external_id":"numbers","metadata":{"n":${number},"m":1.0}}]}`,
      key,
    );
  expect((await post('12345678901234567890123')).status).toBe(200);
  const spelled = await post('1234567890123456789012.3e1');
  expect(spelled.headers.get('idempotent-replayed')).toBe('true');
  expect(JSON.parse((await post('12345678901234567890124')).text)).toMatchObject({
    error: { code: 'idempotency_key_reused' },
  });
});

test.each([
  ['more than 2 KB', `{"n":1.0,"k":"${'x'.repeat(2040)}"}`, 'candidates[0].metadata: too_long'],
  ['2 KB of digits', `{"n":1.${'0'.repeat(2048)}}`, 'candidates[0].metadata: too_long'],
  ['a NUL', '{"n":1.0,"k":["\\u0000"]}', 'candidates[0].metadata.k[0]: invalid_characters'],
  ['a number that is read as infinite', '{"n":1.0,"k":1e400}', 'candidates[0].metadata.k: invalid_value'],
])('%s is refused beside exact numbers too', async (_name, metadata, problem) => {
  const response = await tenant.api.send('/candidates', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{"candidates":[{"external_id":"a","metadata":${metadata}}]}`,
  });
  expect(expectInvalid(await answerOf(response))).toEqual([problem]);
});

test('2048 bytes beside an exact number are accepted, whatever their escapes', async () => {
  const most = `{"n":1.0,"k":"${'\\u0041'.repeat(2048 - '{"n":1.0,"k":""}'.length)}"}`;
  expect(
    (await send('POST', '/candidates', `{"candidates":[{"external_id":"most","metadata":${most}}]}`)).status,
  ).toBe(200);
});
