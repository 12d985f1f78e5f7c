import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import express, { type ErrorRequestHandler } from 'express';
import { afterEach, expect, test } from 'vitest';
import { contract } from '@evaluation/rest-contract';
import { CutOff, type Patience } from '../body/arrival.ts';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { jsonBody } from './body.ts';

const MEBI = 1024 * 1024;
let close: (() => void) | undefined;
afterEach(() => close?.());

/** Starts a server that answers only when the test ends `waiting`. Errors are answered with status and reason. */
const start = async (patience: Patience = { idleMs: 60_000, totalMs: 60_000 }, turnMs = 60_000) => {
  const waiting: ServerResponse[] = [];
  const failed: ErrorRequestHandler = (error, _request, response, _next) => {
    const status = error instanceof DomainFailure ? 503 : error instanceof CutOff ? 400 : 422;
    response.status(status).send(String(error));
  };
  const app = express();
  app.use((request, response, next) => {
    Object.assign(request, { tsRestRoute: contract.exams.create });
    response.locals['key'] = { institute_id: request.get('x-institute') };
    next();
  });
  app.use(jsonBody({ limitBytes: 16 * MEBI, memoryBytes: 12 * MEBI, patience, turnMs }));
  app.use((_request, response) => void waiting.push(response));
  app.use(failed);
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  close = () => {
    server.close();
    server.closeAllConnections();
  };
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the system named no port');
  const send = (institute: string, json: string, length: 'declared' | 'not declared' = 'declared') =>
    fetch(`http://127.0.0.1:${address.port}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-institute': institute },
      body: length === 'declared' ? json : new Blob([json]).stream(),
      duplex: 'half',
    });
  const inHand = async (count: number): Promise<void> => {
    await expect.poll(() => waiting.length, { timeout: 60_000 }).toBe(count);
  };
  return { send, inHand, waiting, port: address.port };
};

/** A body of `mebibytes` MiB. */
const paper = (mebibytes: number): string =>
  JSON.stringify({
    questions: Array.from({ length: Math.round((mebibytes * MEBI) / 20_000) }, () => ({
      text: 'x'.repeat(20_000),
    })),
  });

test.each(['declared', 'not declared'] as const)(
  'bodies beyond the share of their institute get 503, those of another institute do not; length %s',
  async (length) => {
    const { send, inHand, waiting } = await start();
    const first = send('a', paper(6), length);
    await inHand(1);
    const refused = await send('a', paper(4), length);
    expect(refused.status).toBe(503);
    // Small bodies and another institute are still accepted, and the refused body takes no memory.
    const small = send('a', '{}', length);
    await inHand(2);
    const other = send('b', paper(3), length);
    await inHand(3);
    for (const response of waiting.splice(0)) response.end();
    for (const answer of await Promise.all([first, small, other])) expect(answer.status).toBe(200);
    const again = send('a', paper(7), length);
    await inHand(1);
    for (const response of waiting) response.end();
    expect((await again).status).toBe(200);
  },
);

test('large bodies of one institute are handled one after the other, without delaying another institute', async () => {
  const { send, inHand, waiting } = await start();
  const first = send('a', paper(2));
  await inHand(1);
  const second = send('a', paper(2));
  const other = send('b', paper(2));
  await inHand(2);
  // The small body is sent after the second large one and is handled without waiting.
  const small = send('a', '{}');
  await inHand(3);
  waiting[0]?.end();
  await inHand(4);
  for (const response of waiting) response.end();
  for (const answer of await Promise.all([first, second, other, small])) expect(answer.status).toBe(200);
});

test('a large body that gets no turn in time gets 503', async () => {
  const { send, inHand, waiting } = await start(undefined, 50);
  const first = send('a', paper(2));
  await inHand(1);
  expect((await send('a', paper(2))).status).toBe(503);
  waiting[0]?.end();
  expect((await first).status).toBe(200);
});

test.each([
  ['levels', `{"junk":${'['.repeat(5000)}${']'.repeat(5000)}}`],
  ['text', `{"junk":"${'x'.repeat(2 * MEBI)}"}`],
])('a body with more %s than any valid request is refused, and takes no memory', async (_excess, junk) => {
  const { send } = await start();
  for (let time = 0; time < 5; time += 1) expect((await send('a', junk)).status).toBe(422);
});

test('each value counts with 32 bytes', async () => {
  const { send, inHand, waiting } = await start();
  const values = (count: number): string => `{"junk":[${'0,'.repeat(count)}0]}`;
  expect((await send('a', values(300_000))).status).toBe(503);
  const kept = send('a', values(200_000));
  await inHand(1);
  waiting[0]?.end();
  expect((await kept).status).toBe(200);
});

test('a body beyond the limit is refused before its end, whether or not its length is declared', async () => {
  const { send } = await start();
  const long = `{"junk":"${'x'.repeat(17 * MEBI)}"}`;
  for (const length of ['declared', 'not declared'] as const) {
    // The answer is sent while the body still arrives; a client may report that as a broken connection.
    const status = await send('a', long, length).then(
      (answer) => answer.status,
      () => 422,
    );
    expect(status).toBe(422);
  }
});

const slow = async (port: number) => {
  const socket = connect(port, '127.0.0.1');
  let heard = '';
  socket.on('data', (chunk: Buffer) => (heard += chunk.toString())).on('error', () => {});
  socket.write(
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9000000\r\n\r\n{',
  );
  await once(socket, 'connect');
  // `once` would reject if the client writes to a connection that the server has closed.
  const closed = new Promise((resolve) => socket.once('close', resolve));
  return { socket, closed, heard: () => heard };
};

test('a body that stops arriving is refused after the idle time', async () => {
  const { port } = await start({ idleMs: 100, totalMs: 60_000 });
  const { closed, heard } = await slow(port);
  await closed;
  expect(heard()).toMatch(/^HTTP\/1.1 400 /);
  expect(heard().toLowerCase()).toContain('connection: close');
});

test('a body that arrives byte by byte is refused after the total time', async () => {
  const { port } = await start({ idleMs: 200, totalMs: 500 });
  const { socket, closed, heard } = await slow(port);
  const dripping = setInterval(() => socket.write(' '), 20);
  await closed;
  clearInterval(dripping);
  expect(heard()).toMatch(/^HTTP\/1.1 400 /);
});
