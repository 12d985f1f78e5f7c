import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { largeCalls } from './largeCalls.ts';

const MEBI = 1024 * 1024;
let close: (() => void) | undefined;
afterEach(() => close?.());

const start = async (waitMs: number) => {
  const calls = largeCalls(10 * MEBI, waitMs);
  const begun: ServerResponse[] = [];
  const server = createServer((request, response) =>
    calls.admit(request, response, () => {
      request.resume();
      begun.push(response);
    }),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  close = () => {
    server.close();
    server.closeAllConnections();
  };
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the system named no port');
  const send = (mebibytes: number, signal?: AbortSignal) =>
    fetch(`http://127.0.0.1:${address.port}`, {
      method: 'POST',
      body: 'x'.repeat(mebibytes * MEBI),
      ...(signal === undefined ? {} : { signal }),
    });
  const underWay = async (count: number): Promise<void> => {
    await expect.poll(() => begun.length, { timeout: 10_000 }).toBe(count);
  };
  return { send, begun, underWay };
};

test('large calls that do not fit wait for earlier ones, small calls do not wait', async () => {
  const { send, begun, underWay } = await start(60_000);
  const first = send(8);
  await underWay(1);
  const second = send(8);
  const small = send(1);
  await underWay(2);
  begun[1]?.end();
  expect((await small).status).toBe(200);
  begun[0]?.end();
  expect((await first).status).toBe(200);
  await underWay(3);
  begun[2]?.end();
  expect((await second).status).toBe(200);
});

test('a call that waits too long is answered 503; it is not started, nor is a call whose caller disconnected', async () => {
  const { send, begun, underWay } = await start(300);
  const first = send(8);
  await underWay(1);
  const gone = new AbortController();
  const left = send(8, gone.signal).catch(() => 'gone');
  const late = await send(8);
  expect(late.status).toBe(503);
  gone.abort();
  expect(await left).not.toBe(200);
  begun[0]?.end();
  await first;
  const next = send(8);
  await underWay(2);
  begun[1]?.end();
  expect((await next).status).toBe(200);
});
