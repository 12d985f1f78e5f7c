import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { CutOff } from '../strictSchema.ts';
import { boundedFetch } from './boundedFetch.ts';

const opened: ReturnType<typeof createServer>[] = [];

const serve = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener).listen(0, '127.0.0.1');
  opened.push(server);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}`;
};

afterEach(() => {
  for (const server of opened.splice(0)) server.close().closeAllConnections();
});

const ENDLESS: RequestListener = (_request, response) => {
  const more = () => {
    while (response.write('x'.repeat(100_000)));
  };
  response.on('drain', more);
  more();
};

test('a reply without an end is cut off, and its connection is closed', async () => {
  const closed = Promise.withResolvers<void>();
  const url = await serve((request, response) => {
    response.on('close', closed.resolve);
    ENDLESS(request, response);
  });
  const response = await boundedFetch(url);
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow(CutOff);
  await closed.promise;
});

test('a reply that was compressed without being asked for is read', async () => {
  const encodings = { br: brotliCompressSync, deflate: deflateSync, gzip: gzipSync, zstd: zstdCompressSync };
  for (const [encoding, compress] of Object.entries(encodings)) {
    const url = await serve((request, response) => {
      expect(request.headers['accept-encoding']).toBe('identity');
      response.writeHead(200, { 'content-encoding': encoding }).end(compress('{"mark":1}'));
    });
    expect(await (await boundedFetch(url)).json()).toEqual({ mark: 1 });
  }
});

test('a small compressed reply that becomes large is cut off', async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000));
  const url = await serve((_request, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
  );
  await expect((await boundedFetch(url)).text()).rejects.toThrow(CutOff);
});

test('a reply whose connection breaks fails', async () => {
  const url = await serve((_request, response) => {
    response.writeHead(200, { 'content-length': 1000 }).write('half', () => response.destroy());
  });
  await expect(boundedFetch(url)).rejects.toThrow();
});

test('a redirected call is sent again within its origin, and another origin gets nothing', async () => {
  const seen: { key: string | undefined; body: string }[] = [];
  const take: RequestListener = (request, response) => {
    void (async () => {
      const body = (await request.toArray()).join('');
      seen.push({ key: request.headers.authorization, body });
      response.end('{}');
    })();
  };
  const elsewhere = await serve(take);
  const url = await serve((request, response) => {
    if (request.url === '/here') take(request, response);
    else response.writeHead(308, { location: request.url === '/away' ? elsewhere : '/here' }).end();
  });
  const init = { method: 'POST', body: '{"n":1}', headers: { authorization: 'Bearer key' } };
  expect((await boundedFetch(`${url}/moved`, init)).status).toBe(200);
  expect((await boundedFetch(`${url}/away`, init)).status).toBe(308);
  expect(seen).toEqual([{ key: 'Bearer key', body: '{"n":1}' }]);
});

test('an aborted call ends before and during its reply', async () => {
  for (const sendsHead of [false, true]) {
    const arrived = Promise.withResolvers<void>();
    const url = await serve((_request, response) => {
      if (sendsHead) response.write('half');
      arrived.resolve();
    });
    const abort = new AbortController();
    void arrived.promise.then(() => abort.abort());
    await expect(boundedFetch(url, { signal: abort.signal })).rejects.toThrow(/abort/i);
  }
});

test('status and headers are those of the reply, also without a body', async () => {
  const url = await serve((_request, response) =>
    response
      .writeHead(204, [
        ['retry-after-ms', '7'],
        ['set-cookie', 'a'],
        ['set-cookie', 'b'],
      ])
      .end(),
  );
  const response = await boundedFetch(url);
  expect([
    response.status,
    response.headers.get('retry-after-ms'),
    response.headers.getSetCookie(),
    response.body,
  ]).toEqual([204, '7', ['a', 'b'], null]);
});
