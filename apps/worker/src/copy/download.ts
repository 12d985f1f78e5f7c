import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Agent, request } from 'undici';

const store = new Agent({ headersTimeout: 15_000, bodyTimeout: 30_000, connections: 32 });

/** Somebody else's time-out ends a store that answers nothing; the run's own deadline ends one that is merely slow. */
export const download = async (url: string, file: string, signal: AbortSignal): Promise<void> => {
  const response = await request(url, { dispatcher: store, signal });
  if (response.statusCode !== 200) {
    await response.body.dump();
    throw new Error(`the object store answered ${response.statusCode}`);
  }
  await pipeline(response.body, createWriteStream(file), { signal });
};

/** PUTs a file to a presigned address with the headers it was signed for, its length among them. */
export const upload = async (
  target: { url: string; headers: Record<string, string> },
  file: Readable,
  signal: AbortSignal,
): Promise<void> => {
  const response = await request(target.url, {
    method: 'PUT',
    headers: target.headers,
    body: file,
    dispatcher: store,
    signal,
  });
  await response.body.dump();
  if (response.statusCode !== 200) throw new Error(`the object store answered ${response.statusCode}`);
};
