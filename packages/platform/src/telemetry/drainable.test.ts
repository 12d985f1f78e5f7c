import { Agent, createServer, request as call, type IncomingMessage, type Server } from 'node:http';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { drainable, type Drainable } from './drainable.ts';

let server: Server | undefined;
let agent: Agent | undefined;
afterEach(() => {
  agent?.destroy();
  server?.closeAllConnections();
  server?.close();
});

interface Answer {
  status: number | undefined;
  connection: string | undefined;
}

/** A server that answers `/slow` only after `go`, and a client with one keep-alive connection. */
const start = async () => {
  const slow = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  server = createServer((request, response) => {
    if (request.url === '/begun') response.writeHead(200).write('first ');
    if (request.url === '/') {
      response.end('done');
    } else {
      arrived.resolve();
      void slow.promise.then(() => response.end('done'));
    }
  });
  // As in the facade: much longer than the time allowed for a stop.
  server.keepAliveTimeout = 75_000;
  const draining: Drainable = drainable(server);
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await listening;
  const { port } = server.address() as AddressInfo;
  agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const get = async (path: string): Promise<Answer> => {
    const { promise, resolve: answered, reject } = Promise.withResolvers<IncomingMessage>();
    call({ port, host: '127.0.0.1', path, agent }, answered).on('error', reject).end();
    const response = await promise;
    await new Promise((read) => response.resume().once('end', read));
    return { status: response.statusCode, connection: response.headers.connection };
  };
  return { draining, get, port, arrived: arrived.promise, go: slow.resolve };
};

test('an idle connection is served once more and closed long before its keep-alive ends', async () => {
  const { draining, get } = await start();
  expect(await get('/')).toEqual({ status: 200, connection: 'keep-alive' });
  const drained = draining.drain(60_000);
  expect(await get('/')).toEqual({ status: 200, connection: 'close' });
  await drained;
  await expect(get('/')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('an open request is answered, and its connection is closed with the response', async () => {
  const { draining, get, arrived, go } = await start();
  const answer = get('/slow');
  await arrived;
  const drained = draining.drain(0);
  go();
  expect(await answer).toEqual({ status: 200, connection: 'close' });
  await drained;
});

test('a response in progress is finished, and its connection does not delay the end', async () => {
  const { draining, get, arrived, go } = await start();
  const answer = get('/begun');
  await arrived;
  const drained = draining.drain(0);
  go();
  expect((await answer).status).toBe(200);
  await drained;
});

test('silent connections are closed after lingerMs', async () => {
  const { draining, get } = await start();
  await get('/');
  await draining.drain(200);
  await expect(get('/')).rejects.toThrow();
});

test('a connection without any request does not delay the end by a minute', async () => {
  const { draining, port } = await start();
  const silent = connect(port, '127.0.0.1');
  await once(silent, 'connect');
  const closed = once(silent, 'close');
  await draining.drain(0);
  await closed;
});
