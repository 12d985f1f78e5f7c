import express from 'express';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import { afterAll, expect, test } from 'vitest';
import { ownHost } from './ownHost.ts';

const app = express();
app.use('/unknown', ownHost(null));
app.use('/known', ownHost(new URL('https://desk.example.org')));
app.use((_request, response) => void response.send('ok'));
const server = app.listen(0, '127.0.0.1');
afterAll(() => void server.close());

const statusOf = async (path: string, host: string): Promise<number> => {
  const { port } = server.address() as AddressInfo;
  const { statusCode, body } = await request(`http://127.0.0.1:${port}${path}`, { headers: { host } });
  await body.dump();
  return statusCode;
};

test.each([
  ['localhost:8082', 200],
  ['127.0.0.1:8082', 200],
  ['[::1]:8082', 200],
  ['192.168.1.7', 200],
  ['evil.example:8082', 421],
  ['127.0.0.1.evil.example', 421],
  ['localhost.evil.example', 421],
])('without an address of its own, a desk answers the name %s with %i', async (host, status) => {
  expect(await statusOf('/unknown', host)).toBe(status);
});

test('with an address, the server before it decides', async () => {
  expect(await statusOf('/known', 'evil.example')).toBe(200);
});
