import { retryWhile } from '@evaluation/backoff';
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { Agent, request } from 'undici';

const store = new Agent({ headersTimeout: 15_000, bodyTimeout: 30_000, connections: 32 });

/** The store answered, and its answer will not be another one: the address is wrong, forbidden or too old. */
export class StoreRefused extends Error {
  constructor(status: number) {
    super(`the object store answered ${status}`);
    this.name = 'StoreRefused';
  }
}

/** Errors of this machine's own disk, which waiting does not mend. */
const OUR_DISK = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'ENOENT', 'EIO', 'EMFILE']);

/** A store that is away or broken for the moment is waited for, until the deadline. */
export const isStoreAway = (error: unknown): boolean =>
  !(error instanceof StoreRefused) &&
  !(error instanceof Error && 'code' in error && typeof error.code === 'string' && OUR_DISK.has(error.code));

interface Patience {
  signal: AbortSignal;
  deadline: Date;
}

/** @throws StoreRefused, or the network's error when the deadline has come */
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
 * PUTs a file to a presigned address with the headers it was signed for, its length among them.
 * @param address asked anew for each try, since one does not live as long as the patience
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
