import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  checkedCopyKey,
  checkedCopyPrefix,
  evidencePackKey,
  evidencePrefix,
  objectStore,
  ObjectStoreTimeout,
  redrawnCopyKey,
  sealedKey,
  uploadKey,
} from './index.ts';

/** Accepts connections and never answers, like a hung network. */
let silent: Server;
let account: Parameters<typeof objectStore>[0];

beforeEach(async () => {
  silent = createServer(() => {});
  await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
  const address = silent.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  account = {
    endpoint: `http://127.0.0.1:${address.port}`,
    region: 'us-east-1',
    bucket: 'silent',
    accessKeyId: 'id',
    secretAccessKey: 'secret',
  };
});

afterEach(async () => {
  silent.closeAllConnections();
  await new Promise((closed) => silent.close(closed));
});

test('a store that never answers ends each call with a timeout', async () => {
  const store = objectStore({ ...account, timeoutMs: 100 });
  const calls = [
    store.ensureBucket(),
    store.head('key'),
    store.get('key', { maxBytes: 1 }),
    store.copy('from', 'to', { ifMatch: '"etag"' }),
    store.put('key', Buffer.from('x'), 'text/plain'),
    store.delete(['key']),
    store.list('prefix')[Symbol.asyncIterator]().next(),
  ];
  for (const call of await Promise.allSettled(calls)) {
    expect(call).toMatchObject({ status: 'rejected', reason: { name: 'ObjectStoreTimeout' } });
  }
  store.close();
});

test('a call ends with the reason of the signal that aborts it', async () => {
  const store = objectStore(account);
  const abort = new AbortController();
  const reason = new Error('cancelled by the run');
  const connected = new Promise((resolve) => silent.once('connection', resolve));
  const call = store.head('key', { signal: abort.signal });
  void connected.then(() => abort.abort(reason));
  await expect(call).rejects.toBe(reason);
  await expect(store.head('key', { signal: abort.signal })).rejects.toBe(reason);
  store.close();
});

test('an unreachable store throws and is not taken for a missing object', async () => {
  const store = objectStore({ ...account, endpoint: 'http://127.0.0.1:1' });
  const outcome = store.head('key');
  await expect(outcome).rejects.toThrow();
  await expect(outcome).rejects.not.toBeInstanceOf(ObjectStoreTimeout);
  store.close();
});

test('a presigned PUT signs the size and the type', async () => {
  const store = objectStore(account);
  const { url, headers } = await store.presignPut('key', {
    sizeBytes: 7,
    contentType: 'application/pdf',
    expiresInSeconds: 3600,
  });
  const query = new URL(url).searchParams;
  expect(query.get('X-Amz-SignedHeaders')).toBe('content-length;content-type;host');
  expect(query.get('X-Amz-Expires')).toBe('3600');
  expect([...query.keys()].filter((name) => name.includes('checksum'))).toEqual([]);
  expect(headers).toEqual({ 'Content-Type': 'application/pdf', 'Content-Length': '7' });
  store.close();
});

test('keys begin with the institute, differ by purpose, and refuse invalid ids', () => {
  const keys = [
    uploadKey('i', 'u'),
    sealedKey('i', 'u'),
    checkedCopyKey('i', 's', 'r', 1),
    checkedCopyKey('i', 's', 'r', 2),
    redrawnCopyKey('i', 's', 1, 1),
    redrawnCopyKey('i', 's', 1, 2),
    redrawnCopyKey('i', 's', 11, 1),
    evidencePackKey('i', 's', 'r', 'p'),
    evidencePackKey('i', 's', 'r2', 'p'),
  ];
  expect(new Set(keys).size).toBe(keys.length);
  for (const key of keys) expect(key.startsWith('institutes/i/')).toBe(true);
  expect(checkedCopyKey('i', 's', 'r', 1).startsWith(checkedCopyPrefix('i', 's'))).toBe(true);
  expect(redrawnCopyKey('i', 's', 1, 1).startsWith(checkedCopyPrefix('i', 's'))).toBe(true);
  expect(checkedCopyKey('i', 's2', 'r', 1).startsWith(checkedCopyPrefix('i', 's'))).toBe(false);
  expect(evidencePackKey('i', 's', 'r', 'p').startsWith(evidencePrefix('i', 's', 'r'))).toBe(true);
  expect(evidencePackKey('i', 's', 'r2', 'p').startsWith(evidencePrefix('i', 's', 'r'))).toBe(false);
  expect(() => evidencePackKey('i', 's', 'r', '../x')).toThrow(RangeError);
  for (const id of ['', '../x', 'a/b', 'a b']) expect(() => uploadKey('i', id)).toThrow(RangeError);
  expect(() => redrawnCopyKey('i', 's', 1, 0)).toThrow(RangeError);
  expect(() => checkedCopyKey('i', 's', 'r', 1.5)).toThrow(RangeError);
});
