import { createTurns } from '@evaluation/platform/turns';
import { beforeEach, describe, expect, test } from 'vitest';
import { closedAfterTests, startModelServer } from '@evaluation/test-services';
import { gradersFor, type OpenaiOptions } from '../../test/graders.ts';
import { exam, longQuestion, typedAnswer, within } from '../../test/requests.ts';
import { createEndpointPause } from '../endpointPause.ts';
import { admitCall } from './admitCall.ts';
import { createBreaker } from './breaker.ts';

const server = closedAfterTests(await startModelServer());
beforeEach(() => server.reset());

test('a call that waits for a place or a pause stops at once when aborted, and keeps no place', async () => {
  const places = createTurns({ places: 1 });
  const pause = createEndpointPause();
  const breaker = createBreaker({
    firstPauseMs: 1,
    longestPauseMs: 1,
    throttledMs: 1,
    onOpen: () => {},
    onClose: () => {},
  });
  const admit = (signal: AbortSignal) => admitCall({ check: null, places, pause, breaker }, {}, signal);
  const { release } = await admit(new AbortController().signal);
  const abort = new AbortController();
  const waitsForPlace = admit(abort.signal);
  abort.abort(new Error('cancelled'));
  await expect(waitsForPlace).rejects.toThrow('cancelled');
  pause.extend(30_000);
  release();
  const second = new AbortController();
  const waitsForPause = admit(second.signal);
  await Promise.resolve();
  second.abort(new Error('also'));
  await expect(waitsForPause).rejects.toThrow('also');
  (await places.acquire('calls'))();
});

describe('an overloaded endpoint', () => {
  const judge = async (count: number, options: Partial<OpenaiOptions>) => {
    const grader = await gradersFor(server)(options);
    const request = { exam, question: longQuestion(), answer: typedAnswer('Plants make glucose.') };
    return Promise.all(Array.from({ length: count }, () => grader.judgeAnswer(request, within(60_000))));
  };

  test('answers all calls', async () => {
    const bears = 4;
    server.behave(() => {
      const out = server.calls.filter(({ endedAt }) => endedAt === null).length;
      return out > bears ? { kind: 'status', status: 429 } : { kind: 'slow', ms: 15 };
    });
    const judged = await judge(30, { maxConcurrentCalls: 12 });
    expect(judged.every(({ value }) => value.awarded === 3)).toBe(true);
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
