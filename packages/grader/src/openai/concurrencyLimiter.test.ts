import { beforeEach, describe, expect, test } from 'vitest';
import { closedAfterTests, startModelServer } from '@evaluation/test-services';
import { gradersFor, type OpenaiOptions } from '../../test/graders.ts';
import { exam, longQuestion, typedAnswer, within } from '../../test/requests.ts';
import { createConcurrencyLimiter } from './concurrencyLimiter.ts';

const server = closedAfterTests(await startModelServer());
beforeEach(() => server.reset());

const never = new AbortController().signal;

describe('the number of calls in flight adapts to the endpoint', () => {
  const take = async (limiter: ReturnType<typeof createConcurrencyLimiter>, count: number) =>
    await Promise.all(Array.from({ length: count }, () => limiter.acquire(never)));

  test('429s of calls in flight together halve the places once; a later 429 halves them again; one place stays', async () => {
    const limiter = createConcurrencyLimiter(12);
    for (const slot of await take(limiter, 12)) slot.throttled(undefined);
    expect(limiter.places).toBe(6);
    for (const places of [3, 1, 1]) {
      (await limiter.acquire(never)).throttled(undefined);
      expect(limiter.places).toBe(places);
    }
  });

  test('a round of answers adds one place, up to the original number', async () => {
    const limiter = createConcurrencyLimiter(3);
    for (const slot of await take(limiter, 3)) slot.throttled(undefined);
    const grown: number[] = [];
    for (let answer = 1; answer <= 8; answer += 1) {
      (await limiter.acquire(never)).succeeded();
      grown.push(limiter.places);
    }
    expect(grown).toEqual([2, 2, 3, 3, 3, 3, 3, 3]);
  });

  test('a time-out reduces places to the number of calls answered meanwhile, and to half at most', async () => {
    const limiter = createConcurrencyLimiter(16);
    const [first, ...others] = await take(limiter, 16);
    first?.succeeded();
    for (const slot of others) slot.timedOut();
    expect(limiter.places).toBe(1);
    const busy = createConcurrencyLimiter(8);
    const [slow, ...quick] = await take(busy, 8);
    for (const slot of quick) slot.succeeded();
    slow?.timedOut();
    expect(busy.places).toBe(4);
  });

  test('a call with another outcome frees its place and changes nothing, and only its first report counts', async () => {
    const limiter = createConcurrencyLimiter(1);
    const slot = await limiter.acquire(never);
    slot.release();
    slot.throttled(60_000);
    (await limiter.acquire(never)).succeeded();
    expect(limiter.places).toBe(1);
  });

  test('a call that waits for a place or a pause stops at once when aborted, and keeps no place', async () => {
    const limiter = createConcurrencyLimiter(1);
    const slot = await limiter.acquire(never);
    const abort = new AbortController();
    const waiting = limiter.acquire(abort.signal);
    slot.throttled(30_000);
    // The place is free again and the pause has begun.
    await Promise.resolve();
    abort.abort(new Error('cancelled'));
    await expect(waiting).rejects.toThrow('cancelled');
    const second = new AbortController();
    const held = limiter.acquire(second.signal);
    second.abort(new Error('also'));
    await expect(held).rejects.toThrow('also');
  });
});

describe('an overloaded endpoint', () => {
  const judge = async (count: number, options: Partial<OpenaiOptions>) => {
    const grader = await gradersFor(server)(options);
    const request = { exam, question: longQuestion(), answer: typedAnswer('Plants make glucose.') };
    return Promise.all(Array.from({ length: count }, () => grader.judgeAnswer(request, within(60_000))));
  };

  test('answers all calls, with less than a third more calls than questions', async () => {
    const bears = 4;
    server.behave(() => {
      const out = server.calls.filter(({ endedAt }) => endedAt === null).length;
      return out > bears ? { kind: 'status', status: 429 } : { kind: 'slow', ms: 15 };
    });
    const judged = await judge(100, { maxConcurrentCalls: 12 });
    expect(judged.every(({ value }) => value.awarded === 3)).toBe(true);
    expect(server.calls.length).toBeLessThanOrEqual(130);
  });

  test('that serves one call at a time and lets the others time out answers all of them', async () => {
    server.behave(() => {
      const out = server.calls.filter(({ endedAt }) => endedAt === null).length;
      return out > 1 ? { kind: 'hang' } : { kind: 'slow', ms: 15 };
    });
    const judged = await judge(8, { maxConcurrentCalls: 8, callTimeoutSeconds: 2 });
    expect(judged.every(({ value }) => value.awarded === 3)).toBe(true);
    expect(server.calls.length).toBeLessThanOrEqual(2 * 8);
  });

  test('gets no call before the end of its requested pause', async () => {
    let answered = 0;
    server.behave(() => {
      answered += 1;
      return answered === 1
        ? { kind: 'status', status: 429, retryAfterSeconds: 1 }
        : { kind: 'slow', ms: 10 };
    });
    // Two places: one call got the pause, one was in flight beside it; the other eight had no response.
    const judged = await judge(10, { maxConcurrentCalls: 2 });
    expect(judged).toHaveLength(10);
    expect(server.calls).toHaveLength(11);
    const throttledAt = server.calls[0]?.endedAt ?? 0;
    const meanwhile = server.calls.slice(1).filter(({ at }) => at < throttledAt + 990);
    expect(meanwhile.length).toBeLessThanOrEqual(2);
  });
});
