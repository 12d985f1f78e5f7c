import { expect, test } from 'vitest';
import { withinDeadline } from './timeLimit.ts';

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
