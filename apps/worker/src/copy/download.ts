import { retryWhile } from '@evaluation/platform/backoff';
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { Agent, request } from 'undici';

const store = new Agent({ headersTimeout: 15_000, bodyTimeout: 30_000, connections: 32 });

/** The object store answered with a final status: the address is wrong, forbidden or expired. */
export class StoreRefused extends Error {
  constructor(status: number) {
    super(`the object store answered ${status}`);
    this.name = 'StoreRefused';
  }
}

/** Errors of this machine's disk or process limits, which are not retried. */
const OUR_DISK = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'ENOENT', 'EIO', 'EMFILE']);

/** Whether the error may pass, so that the request is retried until the deadline. */
export const isStoreAway = (error: unknown): boolean =>
  !(error instanceof StoreRefused) &&
  !(error instanceof Error && 'code' in error && typeof error.code === 'string' && OUR_DISK.has(error.code));

interface Patience {
  signal: AbortSignal;
  deadline: Date;
}

/** @throws StoreRefused; after the deadline, the last network error */
export const download = (url: string, file: string, { signal, deadline }: Patience): Promise<void> =>
  retryWhile(
    isStoreAway,
    async () => {
      const response = await request(url, { dispatcher: store, signal });
      await refuse(response);
      await pipeline(response.body, createWriteStream(file), { signal });
    },
    { signal, until: deadline },
  );

/**
 * PUTs a file to a presigned address with the headers that were signed, its length included.
 * @param address called for each try, because a presigned address expires before the deadline
 */
export const upload = (
  address: () => Promise<{ url: string; headers: Record<string, string> }>,
  file: string,
  { signal, deadline }: Patience,
): Promise<void> =>
  retryWhile(
    isStoreAway,
    async () => {
      const target = await address();
      const response = await request(target.url, {
        method: 'PUT',
        headers: target.headers,
        body: createReadStream(file),
        dispatcher: store,
        signal,
      });
      await refuse(response);
      await response.body.dump();
    },
    { signal, until: deadline },
  );

const refuse = async (response: Awaited<ReturnType<typeof request>>): Promise<void> => {
  if (response.statusCode === 200) return;
  await response.body.dump();
  const isTheirs = response.statusCode >= 500 || response.statusCode === 429;
  throw isTheirs
    ? new Error(`the object store answered ${response.statusCode}`)
    : new StoreRefused(response.statusCode);
};
