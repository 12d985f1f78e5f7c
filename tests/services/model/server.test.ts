import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { eachQuestion } from './personas/index.ts';
import { startModelServer } from './server.ts';
import type { ModelServer } from './server.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterEach(() => server.reset());
afterAll(() => server.close());

const schema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    kind: { enum: ['x', 'y'] },
    count: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    items: { type: 'array', items: { $ref: '#/$defs/item' } },
  },
  $defs: { item: { type: 'object', properties: { ok: { type: 'boolean' } } } },
};

const ask = (name = 'anything', text = 'hello', signal?: AbortSignal): Promise<Response> =>
  fetch(`${server.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer key' },
    body: JSON.stringify({
      model: 'm',
      messages: [{ role: 'user', content: text }],
      response_format: { type: 'json_schema', json_schema: { name, strict: true, schema } },
    }),
    signal: signal ?? null,
  });

const content = async (response: Response): Promise<unknown> => {
  const body = JSON.parse(await response.text());
  return JSON.parse(body.choices[0].message.content);
};

describe('the model server', () => {
  test('answers an unknown schema with a valid value and records the call', async () => {
    expect(await content(await ask())).toEqual({ name: 'text', kind: 'x', count: 1, items: [{ ok: false }] });
    expect(server.calls).toMatchObject([
      { schemaName: 'anything', model: 'm', authorization: 'Bearer key', aborted: false },
    ]);
  });

  test('follows rules by schema name and number of calls, then the default', async () => {
    server.behave([
      { schemaName: 'b', times: 1, behaviour: { kind: 'status', status: 429, retryAfterSeconds: 7 } },
      { schemaName: 'a', times: 2, behaviour: { kind: 'status', status: 500 } },
    ]);
    expect([(await ask('a')).status, (await ask('a')).status, (await ask('a')).status]).toEqual([
      500, 500, 200,
    ]);
    const limited = await ask('b');
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '7']);
    expect((await ask('b')).status).toBe(200);
  });

  test('follows a script function', async () => {
    server.behave(({ schemaName }) =>
      schemaName === 'a' ? { kind: 'content', content: { own: 1 } } : undefined,
    );
    expect(await content(await ask('a'))).toEqual({ own: 1 });
    expect(await content(await ask('b'))).toHaveProperty('name');
  });

  test('breaks content, schema and connection on request', async () => {
    server.behave([{ times: 1, behaviour: { kind: 'truncated' } }]);
    await expect(ask().then(content)).rejects.toThrow(SyntaxError);
    server.behave([{ times: 1, behaviour: { kind: 'violating' } }]);
    expect(await content(await ask())).toEqual({ unexpected: true });
    server.behave([{ times: 1, behaviour: { kind: 'cut' } }]);
    await expect(ask().then((response) => response.text())).rejects.toThrow();
  });

  test('reports finish_reason length, alters its default answer, and holds an answer back', async () => {
    server.behave([{ times: 1, behaviour: { kind: 'out_of_length' } }]);
    const { choices } = JSON.parse(await (await ask()).text());
    expect(choices[0].finish_reason).toBe('length');
    expect(() => JSON.parse(choices[0].message.content)).toThrow(SyntaxError);

    server.behave([{ behaviour: { kind: 'altered', alter: (answer) => ({ was: answer }) } }]);
    expect(await content(await ask())).toMatchObject({ was: { name: 'text' } });

    const { promise, resolve } = Promise.withResolvers<void>();
    server.behave([{ behaviour: { kind: 'held', until: promise } }]);
    const asking = ask();
    await server.waitFor((calls) => calls.at(-1)?.endedAt === null);
    resolve();
    expect((await asking).status).toBe(200);
  });

  test('eachQuestion counts each question by itself', async () => {
    const script = eachQuestion({ kind: 'status', status: 500 }, { kind: 'violating' });
    server.behave(script);
    const statuses = [];
    for (const text of ['one', 'two', 'one', 'one']) statuses.push((await ask('a', text)).status);
    // Per question: an error, then a violating answer, then the default answer.
    expect(statuses).toEqual([500, 500, 200, 200]);
    expect(server.calls).toHaveLength(4);
  });

  test('records disconnects, while hanging and while slow', async () => {
    for (const behaviour of [{ kind: 'hang' }, { kind: 'slow', ms: 60_000 }] as const) {
      server.reset();
      server.behave([{ behaviour }]);
      const abort = new AbortController();
      const asking = ask('a', 'hello', abort.signal);
      await server.waitFor((calls) => calls.length === 1);
      abort.abort();
      await expect(asking).rejects.toThrow();
      await server.waitFor(([call]) => call?.aborted === true && call.endedAt !== null);
    }
  });

  test('is slow on request and counts the calls in progress', async () => {
    server.behave([{ behaviour: { kind: 'slow', ms: 100 } }]);
    const started = performance.now();
    await Promise.all([ask(), ask(), ask()].map(async (asking) => (await asking).text()));
    expect(performance.now() - started).toBeGreaterThanOrEqual(95);
    expect(server.peakInFlight).toBe(3);
  });

  test('waitFor fails after its timeout', async () => {
    await expect(server.waitFor(() => false, 20)).rejects.toThrow('not what was waited for');
  });

  test('another path is 404 and invalid JSON is 400', async () => {
    expect((await fetch(`${server.baseUrl}/other`)).status).toBe(404);
    const bad = await fetch(`${server.baseUrl}/chat/completions`, { method: 'POST', body: '{' });
    expect(bad.status).toBe(400);
  });
});
