import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { createLogger } from '@evaluation/platform/telemetry';
import { errorHandler } from '../middleware/errors.ts';
import { createHttpApp } from '@evaluation/platform/http';
import { inputReader } from './readInput.ts';

const LIMIT = 16 * 1024;
const LARGE = 0.75 * LIMIT;

const log = createLogger({ service: 'desk', level: 'silent' });
const app = createHttpApp({
  name: 'desk',
  log,
  trustedProxies: 0,
  headers: (_request, _response, next) => next(),
  pingCore: async () => {},
  describe: () => ({ route: '/trpc' }),
});
const readInput = inputReader(LIMIT);
app.post('/:institute', async (request, response) => {
  const call = { instituteId: request.params.institute, procedure: 'public.marking.next' };
  response.send(String((await readInput(request, response, call)).length));
});
app.use(errorHandler(log));
const server = app.listen(0, '127.0.0.1');
const sockets = new Set<Socket>();
server.on('connection', (socket: Socket) => void sockets.add(socket));
await once(server, 'listening');
afterAll(() => server.close());
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const statusOf = async (institute: string, bytes: number, more: Record<string, string> = {}) => {
  const response = await fetch(`${url}/${institute}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...more },
    body: ' '.repeat(bytes),
  });
  await response.arrayBuffer();
  return response.status;
};

test('a call that is too large, compressed, or no JSON is refused, and the connection serves the next one', async () => {
  expect(await statusOf('a', LIMIT)).toBe(200);
  expect(await statusOf('a', LIMIT + 1)).toBe(413);
  expect(await statusOf('a', 2, { 'content-encoding': 'gzip' })).toBe(400);
  expect(await statusOf('a', 2, { 'content-type': 'text/plain' })).toBe(400);
  expect(await statusOf('a', 0, { 'content-type': 'text/plain' })).toBe(200);
});

test('calls in progress share a bound of memory: an institute leaves room for others, and a lost connection frees its share', async () => {
  const before = bytesRead();
  const unfinished = [1, 2, 3].map(() => {
    const call = httpRequest(`${url}/a`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': LIMIT },
    });
    call.on('error', () => {});
    call.write(Buffer.alloc(LARGE));
    return call;
  });
  await expect.poll(() => bytesRead() - before, { timeout: 20_000 }).toBeGreaterThan(3 * LARGE);
  expect(await statusOf('a', LARGE)).toBe(503);
  expect(await statusOf('a', 100)).toBe(200);
  expect(await statusOf('b', LARGE)).toBe(200);
  for (const call of unfinished) call.destroy();
  await expect.poll(() => statusOf('a', LARGE), { timeout: 20_000 }).toBe(200);
});

const bytesRead = (): number => [...sockets].reduce((sum, socket) => sum + socket.bytesRead, 0);
