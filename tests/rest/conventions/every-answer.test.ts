import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Exam, Submission } from '@evaluation/rest-contract/schemas';
import { answerOf, createExam, resultOf, submit } from '../../harness/api.ts';
import { mcq, typedExam } from '../../harness/papers.ts';
import { restSuite } from '../../harness/restSuite.ts';
import { expectError, expectPostRefused, expectRefused, problemsIn } from '../../harness/tenant.ts';

const { tenant } = await restSuite();

const raw = async (path: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
  answerOf(
    await tenant.api.send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : Uint8Array.from(body),
    }),
  );

describe('content type', () => {
  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/json-patch+json',
    'application/json; charset=latin1',
  ])('a body sent as %s answers 415 and changes nothing', async (type) => {
    await expectRefused(
      tenant,
      () => raw('/exams', '{"title":"x","mode":"typed"}', { 'content-type': type }),
      415,
      'unsupported_media_type',
    );
  });

  test('a body without a content type answers 415', async () => {
    const body = new Blob(['{"title":"x","mode":"typed"}']);
    const answer = await answerOf(await tenant.api.send('/exams', { method: 'POST', body }));
    expectError(answer, 415, 'unsupported_media_type');
  });

  test('application/json is accepted with a charset, in any case', async () => {
    const answer = await raw('/exams', '{"title":"x","mode":"typed"}', {
      'content-type': 'Application/JSON; charset=UTF-8',
    });
    expect(answer.status).toBe(201);
  });

  test('an action without a body needs no content type', async () => {
    const draft = await tenant.api.post<Exam>('/exams', typedExam([mcq('1')]));
    expect(draft.body.status).toBe('draft');
    const opened = await tenant.api.post<Exam>(`/exams/${draft.body.id}/open`);
    expect({ status: opened.status, exam: opened.body.status }).toEqual({ status: 200, exam: 'open' });
  });
});

describe('JSON', () => {
  test.each([
    ['cut off', '{"title": "x"'],
    ['single quotes', "{'title': 'x'}"],
    ['a trailing comma', '{"title": "x",}'],
    ['no JSON at all', 'title=x'],
    ['two values', '{}{}'],
    ['NaN', '{"title": NaN}'],
    ['a raw line break in a string', '{"title": "a\nb"}'],
  ])('%s answers 400 malformed_json and changes nothing', async (_name, body) => {
    await expectRefused(tenant, () => raw('/exams', body), 400, 'malformed_json');
  });

  test.each([
    ['a lone continuation byte', [0x80]],
    ['an overlong NUL', [0xc0, 0x80]],
    ['a surrogate half in UTF-8', [0xed, 0xa0, 0x80]],
    ['a character cut in the middle', [0xe0, 0xa4]],
  ])('invalid UTF-8 (%s) answers 400 malformed_json', async (_name, bytes) => {
    const body = Buffer.concat([
      Buffer.from('{"mode":"typed","title":"'),
      Buffer.from(bytes),
      Buffer.from('"}'),
    ]);
    await expectRefused(tenant, () => raw('/exams', body), 400, 'malformed_json');
  });

  test.each(['[]', '"text"', '12', 'true', 'null'])(
    'a body that is %s and no object answers 422, not 500',
    async (body) => {
      await expectRefused(tenant, () => raw('/exams', body), 422, 'validation_failed');
    },
  );

  test.each([
    ['arrays', '['.repeat(200_000) + ']'.repeat(200_000)],
    ['objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
  ])('%s nested 100,000 deep answers malformed_json, not 5xx', async (_name, deep) => {
    await expectRefused(
      tenant,
      () => raw('/exams', `{"title":"x","mode":"typed","unknown":${deep}}`),
      400,
      'malformed_json',
    );
  });

  test('a hundred thousand values of an unknown field are ignored', async () => {
    const many = `[${'[],'.repeat(100_000)}0]`;
    expect((await raw('/exams', `{"title":"x","mode":"typed","unknown":${many}}`)).status).toBe(201);
  });

  test('of a repeated field the last value counts', async () => {
    const { status, body } = await raw('/exams', '{"title":"x","title":{},"title":"y","mode":"typed"}');
    expect(status).toBe(201);
    expect(body).toMatchObject({ title: 'y' });
  });

  test.each([
    ['an unknown field', `"unknown":[${'[],'.repeat(3_000_000)}0]`],
    [
      'a repeated field',
      `${`"sections":[${'{"name":"A","order":1},'.repeat(19)}{"name":"B","order":2}],`.repeat(20_000)}"sections":[]`,
    ],
    ['empty questions', `"questions":[${'{},'.repeat(3_000_000)}{}]`],
  ])('millions of values of %s are refused without being parsed', async (_name, field) => {
    const error = await expectRefused(
      tenant,
      () => raw('/exams', `{"title":"x","mode":"typed",${field}}`),
      422,
      'validation_failed',
    );
    expect(problemsIn(error)).toEqual([': too_long']);
  });

  test('a compressed body answers 415, since its length does not limit its content', async () => {
    const body = gzipSync(JSON.stringify({ title: 'x', mode: 'typed' }));
    await expectRefused(
      tenant,
      () => raw('/exams', body, { 'content-encoding': 'gzip' }),
      415,
      'unsupported_media_type',
    );
  });

  test('metadata may nest as deep as 2 KB allow, and comes back as sent', async () => {
    const deep = `${'['.repeat(1000)}${']'.repeat(1000)}`;
    const exam = await createExam(tenant.api, typedExam([mcq('1')]));
    const body = `{"candidate":{"external_id":"deep"},"answers":[],"metadata":{"a":${deep}}}`;
    const created = await raw(`/exams/${exam.id}/submissions`, body);
    expect(created.status).toBe(202);
    expect(JSON.stringify(created.body)).toContain(`"metadata":{"a":${deep}}`);
  });
});

describe('plain text', () => {
  const nul = String.fromCharCode(0);

  test.each([
    ['a title', { title: `a${nul}b`, mode: 'typed' }, 'title'],
    [
      'the text of an option',
      typedExam([
        mcq('1'),
        mcq('2', {
          options: [
            { label: 'A', text: 'ok' },
            { label: 'B', text: nul },
          ],
        }),
      ]),
      'questions[1].options[1].text',
    ],
    [
      'a field that is not known',
      { title: 'a', mode: 'typed', extra: { deep: [`x${nul}`] } },
      'extra.deep[0]',
    ],
    [
      'client metadata',
      { title: 'a', mode: 'typed', candidates: [{ external_id: 'c', metadata: { k: nul } }] },
      'candidates[0].metadata.k',
    ],
  ])('NUL in %s answers invalid_characters with the path of the field', async (_name, body, field) => {
    const error = await expectPostRefused(tenant, 422, 'validation_failed', '/exams', body);
    expect(problemsIn(error)).toContain(`${field}: invalid_characters`);
  });

  test('NUL in the name of a field answers invalid_characters', async () => {
    const error = await expectPostRefused(tenant, 422, 'validation_failed', '/exams', {
      title: 'a',
      mode: 'typed',
      [`a${nul}`]: 1,
    });
    expect(problemsIn(error)).toEqual([': invalid_characters']);
  });

  test.each(['\\ud800', '\\udc00', 'a\\udbffb', '\\udc00\\ud800'])(
    'half a surrogate pair (%s) answers invalid_characters, and is never stored',
    async (escape) => {
      const error = await expectRefused(
        tenant,
        () => raw('/exams', `{"mode":"typed","title":"${escape}"}`),
        422,
        'validation_failed',
      );
      expect(problemsIn(error)).toEqual(['title: invalid_characters']);
    },
  );

  test('text comes back as sent: markup, emoji, other scripts, line breaks', async () => {
    const instructions = 'a < b & "c"\r\n\t<b>no tag</b> 😀 e\u0301 हिन्दी \u202eabc';
    const { body } = await tenant.api.post<Exam>('/exams', {
      title: 'Größe 😀',
      mode: 'typed',
      instructions,
    });
    expect(body).toMatchObject({ title: 'Größe 😀', instructions });
    expect((await tenant.api.get<Exam>(`/exams/${body.id}`)).body.instructions).toBe(instructions);
  });
});

describe('fields, paths, methods', () => {
  test('unknown fields are ignored on create, at every depth', async () => {
    const body = {
      ...typedExam([{ ...mcq('1'), colour: 'red' } as ReturnType<typeof mcq>]),
      later: { x: 1 },
    };
    const exam = await createExam(tenant.api, body);
    const submission = await submit(tenant.api, exam.id, {
      candidate: { external_id: 'unknown-fields', shoe_size: 44 },
      answers: [{ question_label: '1', option_labels: ['B'], speed: 9 }],
      priority: 'high',
    });
    expect(submission.status).toBe('graded');
    expect(JSON.stringify([exam, submission])).not.toMatch(/colour|later|shoe|speed|priority/);
  });

  test.each([
    ['PUT', '/exams'],
    ['DELETE', '/me'],
    ['PATCH', '/me'],
    ['POST', '/me'],
    ['PUT', '/submissions'],
    ['GET', '/uploads'],
    ['GET', '/nothing'],
    ['GET', '/exams/a/b/c'],
    ['POST', ''],
    ['GET', '/exams/%zz'],
    ['GET', '/exams/..%2f..'],
  ])('%s %s is not part of the API: 404 with the envelope', async (method, path) => {
    const answer = await answerOf(await tenant.api.send(path, { method }));
    expectError(answer, 404, path.startsWith('/exams/..') ? 'exam_not_found' : 'not_found');
  });

  test('X-Request-Id is on every response, is unique, and never the client’s', async () => {
    const own = 'my-own-id';
    const ids = await Promise.all(
      [
        ['GET', '/me'],
        ['GET', '/openapi.json'],
        ['GET', '/nothing'],
        ['POST', '/exams'],
        ['GET', '/submissions?limit=0'],
      ].map(async ([method = 'GET', path = '']) => {
        const response = await tenant.api.send(path, { method, headers: { 'x-request-id': own } });
        await response.arrayBuffer();
        return response.headers.get('x-request-id') ?? '';
      }),
    );
    expect(ids.every((id) => /^[0-9a-f-]{36}$/.test(id))).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).not.toContain(own);
  });

  test('security headers stop browsers from caching, sniffing, framing or sharing a response', async () => {
    for (const path of ['/me', '/exams/unknown', '/openapi.json']) {
      const { headers } = await tenant.api.send(path, {
        method: 'GET',
        headers: { origin: 'https://elsewhere.example' },
      });
      expect(Object.fromEntries(headers)).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'content-security-policy': "default-src 'none';frame-ancestors 'none'",
      });
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
      expect(headers.get('x-powered-by')).toBeNull();
    }
  });

  test('HEAD answers as GET does, without a body', async () => {
    const exam = await createExam(tenant.api, typedExam([mcq('1')]));
    for (const path of [
      '/me',
      `/exams/${exam.id}`,
      '/submissions',
      '/submissions?limit=0',
      '/exams/unknown',
    ]) {
      const [head, get] = await Promise.all([
        tenant.api.send(path, { method: 'HEAD' }),
        tenant.api.send(path, { method: 'GET' }),
      ]);
      expect(await head.text()).toBe('');
      await get.arrayBuffer();
      expect({ path, status: head.status, type: head.headers.get('content-type') }).toEqual({
        path,
        status: get.status,
        type: get.headers.get('content-type'),
      });
    }
    const withoutKey = await fetch(`${tenant.api.baseUrl}/me`, { method: 'HEAD' });
    expect(withoutKey.status).toBe(401);
  });

  test('timestamps are ISO 8601 in UTC with Z, and ids are UUIDs', async () => {
    const exam = await createExam(tenant.api, typedExam([mcq('1')]));
    const submission: Submission = await submit(tenant.api, exam.id, {
      candidate: { external_id: 'times' },
      answers: [{ question_label: '1', option_labels: ['A'] }],
    });
    const result = await resultOf(tenant.api, submission.id);
    const stamp = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;
    for (const at of [
      exam.created_at,
      exam.updated_at,
      submission.created_at,
      submission.updated_at,
      result.graded_at,
    ]) {
      expect(at).toMatch(stamp);
      expect(Math.abs(Date.now() - Date.parse(at ?? ''))).toBeLessThan(60_000);
    }
    expect(exam.conducted_on).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
    for (const id of [exam.id, submission.id, submission.candidate.id, exam.questions[0]?.id]) {
      expect(id).toMatch(uuid);
    }
  });
});
