import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { withinDeadline, withTimeLimit } from './timeLimit.ts';

const deaf = () => new Promise<never>(() => {});
const inMs = (ms: number) => new Date(Date.now() + ms);

test('work that ignores an abort is abandoned at once', async () => {
  const abort = new AbortController();
  const working = withinDeadline({ signal: abort.signal, deadline: inMs(60_000) }, deaf);
  abort.abort(new Error('cancelled'));
  await expect(working).rejects.toThrow('cancelled');
});

test('work that ignores the deadline is abandoned with a transient failure', async () => {
  const working = withinDeadline({ signal: new AbortController().signal, deadline: inMs(20) }, deaf);
  await expect(working).rejects.toMatchObject({ name: 'GraderFailure', kind: 'transient' });
});

test('a deadline months away does not fire at once', async () => {
  const signal = new AbortController().signal;
  const far = inMs(200 * 24 * 3600 * 1000);
  expect(await withinDeadline({ signal, deadline: far }, async () => 'done')).toBe('done');
});

/** Fails when its signal is aborted, with an error of its own, as an HTTP client does. */
const client = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('the request was aborted')));
  });

test('a request that its time limit ends fails with the error of the limit', async () => {
  const { signal } = new AbortController();
  const limit = { signal, ms: 5, late: () => new Error('too late') };
  await expect(withTimeLimit(limit, client)).rejects.toThrow('too late');
});

test('a request that its caller aborts keeps its error, and the limit leaves no listener', async () => {
  const abort = new AbortController();
  const limit = { signal: abort.signal, ms: 60_000, late: () => new Error('too late') };
  const working = withTimeLimit(limit, client);
  expect(getEventListeners(abort.signal, 'abort')).toHaveLength(1);
  abort.abort();
  await expect(working).rejects.toThrow('the request was aborted');
  expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0);
});

test('a request that ends in time leaves no listener', async () => {
  const { signal } = new AbortController();
  const limit = { signal, ms: 60_000, late: () => new Error('too late') };
  expect(await withTimeLimit(limit, async () => 'done')).toBe('done');
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});
