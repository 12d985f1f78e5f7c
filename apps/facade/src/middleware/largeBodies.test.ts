import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type ErrorRequestHandler } from 'express';
import { afterEach, expect, test } from 'vitest';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { jsonBody } from './body.ts';
import { sendFailure } from './sendFailure.ts';

const MEBI = 1024 * 1024;
let close: (() => void) | undefined;
afterEach(() => close?.());

/** A server whose answers wait until the test sends them. */
const start = async () => {
  const waiting: ServerResponse[] = [];
  const failed: ErrorRequestHandler = (error, _request, response, _next) => {
    if (!(error instanceof DomainFailure)) throw error;
    sendFailure(response, error.failure);
  };
  const app = express();
  app.use((request, _response, next) => {
    Object.assign(request, { tsRestRoute: { metadata: { body: 'large', scope: null, failures: [] } } });
    next();
  });
  app.use(...jsonBody(16 * MEBI, 20 * MEBI));
  app.use((_request, response) => void waiting.push(response));
  app.use(failed);
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  close = () => {
    server.close();
    server.closeAllConnections();
  };
  const { port } = server.address() as AddressInfo;
  const send = (mebibytes: number, length: 'declared' | 'not declared' = 'declared') => {
    const json = JSON.stringify('x'.repeat(mebibytes * MEBI));
    return fetch(`http://127.0.0.1:${port}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: length === 'declared' ? json : new Blob([json]).stream(),
      duplex: 'half',
    });
  };
  const inHand = async (count: number): Promise<void> => {
    await expect.poll(() => waiting.length, { timeout: 10_000 }).toBe(count);
  };
  return { send, inHand, waiting };
};

test.each(['declared', 'not declared'] as const)(
  '8 large bodies beyond what a process can hold at once are asked to come again, of a length that is %s',
  async (length) => {
    const { send, inHand, waiting } = await start();
    const first = send(10, length);
    await inHand(1);
    const refused = await send(12, length);
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    // Small ones go on, and what is refused takes no room.
    const small = send(0, length);
    await inHand(2);
    const fits = send(5, length);
    await inHand(3);
    for (const response of waiting.splice(0)) response.end();
    for (const answer of await Promise.all([first, small, fits])) expect(answer.status).toBe(200);
    const again = send(12, length);
    await inHand(1);
    for (const response of waiting) response.end();
    expect((await again).status).toBe(200);
  },
);
