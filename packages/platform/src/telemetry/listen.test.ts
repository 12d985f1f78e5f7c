import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { holdPort, listen } from './listen.ts';

const NAMES = { host: 'HOST', port: 'PORT' };

/** A port that was free a moment ago. */
const freePlace = async (): Promise<{ host: string; port: number }> => {
  const server = createServer();
  const port = await listen(server, { host: '127.0.0.1', port: 0 }, NAMES);
  await once(server.close(), 'close');
  return { host: '127.0.0.1', port };
};

test('a held port is closed to other servers until its own takes it over, and is free after its release', async () => {
  const at = await freePlace();
  const release = await holdPort(at, NAMES);
  await expect(holdPort(at, NAMES)).rejects.toMatchObject({ name: 'CannotListen', isTaken: true });

  const server = createHttpServer((_request, response) => void response.end('served'));
  expect(await listen(server, at, NAMES)).toBe(at.port);
  await release();
  const answer = await fetch(`http://127.0.0.1:${at.port}`, { headers: { connection: 'close' } });
  expect(await answer.text()).toBe('served');
  await once(server.close(), 'close');

  const releaseUnused = await holdPort(at, NAMES);
  await releaseUnused();
  const another = createServer();
  expect(await listen(another, at, NAMES)).toBe(at.port);
  await once(another.close(), 'close');
});
