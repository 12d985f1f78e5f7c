import { readFile } from 'node:fs/promises';
import { get } from 'node:http';
import { openApi30 } from '@evaluation/rest-contract/openapi-3.0';
import { expect, test } from 'vitest';
import { restSuite } from '../../harness/restSuite.ts';

const { service } = await restSuite();

const committed = new URL('../../../contracts/rest/openapi.json', import.meta.url);

test.each(['openapi.json', 'openapi-3.0.json'])(
  '/v1/%s is the committed document with the address of the service, and needs no key',
  async (name) => {
    const response = await fetch(`${service.baseUrl}/${name}`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    const document: object = JSON.parse(await readFile(committed, 'utf8'));
    expect(await response.json()).toEqual({
      ...(name === 'openapi.json' ? document : openApi30(document)),
      servers: [{ url: service.baseUrl }],
    });
    const withWrongKey = await fetch(`${service.baseUrl}/${name}`, { headers: { 'x-api-key': 'wrong' } });
    expect(withWrongKey.status).toBe(200);
  },
);

test.each(['a"b', 'a/b', 'a b', '<x>', 'x'.repeat(300)])(
  'a Host header that is no host, %j, does not reach the document',
  async (host) => {
    const url = new URL(`${service.baseUrl}/openapi.json`);
    const text = await new Promise<string>((resolve, reject) => {
      get(url, { headers: { host } }, (response) => {
        response
          .setEncoding('utf8')
          .toArray()
          .then((parts) => resolve(parts.join('')), reject);
      }).on('error', reject);
    });
    expect(JSON.parse(text)).toMatchObject({ servers: [{ url: '/v1' }] });
  },
);

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
