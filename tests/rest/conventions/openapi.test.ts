import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { restSuite } from '../../harness/restSuite.ts';

const { service } = await restSuite();

const committed = new URL('../../../contracts/rest/openapi.json', import.meta.url);

test('/v1/openapi.json is the committed file, and needs no key', async () => {
  const response = await fetch(`${service.baseUrl}/openapi.json`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  expect(await response.json()).toEqual(JSON.parse(await readFile(committed, 'utf8')));
  expect((await fetch(`${service.baseUrl}/openapi.json`, { headers: { 'x-api-key': 'wrong' } })).status).toBe(
    200,
  );
});

test('every documented path is served, and requires a key', async () => {
  const document: unknown = await (await fetch(`${service.baseUrl}/openapi.json`)).json();
  const { paths } = document as { paths: Record<string, Record<string, unknown>> };
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({
      method: method.toUpperCase(),
      path: path.replace(/\{\w+\}/g, 'x'),
    })),
  );
  expect(described.length).toBeGreaterThan(9);
  for (const { method, path } of described) {
    const response = await fetch(`${service.baseUrl}${path}`, { method });
    await response.arrayBuffer();
    expect({ method, path, status: response.status }).toEqual({ method, path, status: 401 });
  }
});
