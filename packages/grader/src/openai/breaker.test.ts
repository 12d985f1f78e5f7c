import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createBreaker, type Breaker, type AllowedCall } from './breaker.ts';

/** Looks each millisecond. The limit is long, for a machine that does other work. */
const SOON = { interval: 1, timeout: 20_000 };

const FIRST_PAUSE_MS = 40;
const LONGEST_PAUSE_MS = 160;
const THROTTLED_MS = 300;

let breaker: Breaker;
let events: string[];
const runs = Array.from({ length: 6 }, () => ({}));
const [one = {}, another = {}] = runs;
const patient = new AbortController().signal;

beforeEach(() => {
  events = [];
  breaker = createBreaker({
    firstPauseMs: FIRST_PAUSE_MS,
    longestPauseMs: LONGEST_PAUSE_MS,
    throttledMs: THROTTLED_MS,
    onOpen: () => events.push('open'),
    onClose: () => events.push('close'),
  });
});
afterEach(() => breaker.close());

const allow = (run: object = one, signal = patient): Promise<AllowedCall> => breaker.allow(run, signal);

const failCalls = async (...failing: object[]): Promise<void> => {
  for (const run of failing) (await allow(run)).recordFailure();
};

const breakIt = async (): Promise<void> => {
  await failCalls(one, another, one, another, one);
  expect(events).toEqual(['open']);
};

/** Lets `count` calls wait for the breaker. `allowed` lists the calls that it has allowed, in their order. */
const line = (count: number): { allowed: AllowedCall[] } => {
  const allowed: AllowedCall[] = [];
  for (let at = 0; at < count; at += 1) void allow(runs[at]).then((call) => allowed.push(call));
  return { allowed };
};

const nothingMoves = async (allowed: readonly unknown[], count: number): Promise<void> => {
  // Longer than any pause: each call that may be sent is allowed.
  await new Promise((resolve) => setTimeout(resolve, LONGEST_PAUSE_MS * 1.5));
  expect(allowed).toHaveLength(count);
};

/**
 * Waits for a whole turn of the event loop. Node measures a timer from the beginning of the turn that sets it, which
 * can be long ago on a busy machine. Timers that start after this wait start later than any time that the test read
 * before it.
 */
const oneTurnOfTheLoop = async (): Promise<void> => {
  for (let at = 0; at < 2; at += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe('opening', () => {
  test('five calls in a row without an answer open it; later calls wait', async () => {
    await failCalls(one, another, one, another);
    expect(events).toEqual([]);
    await failCalls(one);
    expect(events).toEqual(['open']);
  });

  test('failures of a single run do not open it', async () => {
    await failCalls(...Array.from({ length: 50 }, () => one));
    expect(events).toEqual([]);
  });

  test('failures with an answer among them, or calls that were given up, do not open it', async () => {
    for (let round = 0; round < 5; round += 1) {
      await failCalls(one, another, one, another);
      (await allow()).recordAnswer();
    }
    for (let round = 0; round < 20; round += 1) (await allow(runs[round % 6])).abandon();
    expect(events).toEqual([]);
  });
});

describe('only 429s', () => {
  const throttle = async (): Promise<void> => {
    for (const run of [one, another]) (await allow(run)).recordThrottled();
    await sleep(5);
  };
  const throttleUntilOpen = async (): Promise<void> => {
    while (events.length === 0) await throttle();
  };

  test('count as answers at first and as failures after a time; another 429 for a trial changes nothing', async () => {
    const started = performance.now();
    await failCalls(one, another, one, another);
    await throttle();
    await failCalls(one, another, one, another);
    expect(events).toEqual([]);
    await throttleUntilOpen();
    expect(performance.now() - started).toBeGreaterThanOrEqual(THROTTLED_MS);
    const { allowed } = line(2);
    await vi.waitFor(() => expect(allowed).toHaveLength(1), SOON);
    allowed[0]?.recordThrottled();
    await vi.waitFor(() => expect(allowed).toHaveLength(2), SOON);
    expect(events).toEqual(['open']);
    allowed[1]?.recordAnswer();
    expect(events).toEqual(['open', 'close']);
  });

  test('with occasional answers never open it', async () => {
    const started = performance.now();
    while (performance.now() - started < 2 * THROTTLED_MS) {
      await throttle();
      (await allow()).recordAnswer();
    }
    expect(events).toEqual([]);
  });
});

describe('while it is open', () => {
  test('one call is sent after each pause, the longest waiting first; the others wait', async () => {
    await breakIt();
    const { allowed } = line(3);
    for (let trial = 1; trial <= 3; trial += 1) {
      await vi.waitFor(() => expect(allowed).toHaveLength(trial), SOON);
      if (trial === 1) await nothingMoves(allowed, 1);
      allowed[trial - 1]?.recordFailure();
    }
    expect(events).toEqual(['open']);
  });

  test('the pause doubles with each failed trial, up to the longest', async () => {
    await failCalls(one, another, one, another);
    let call = await allow(one);
    const gaps: number[] = [];
    for (let trial = 0; trial < 5; trial += 1) {
      const since = performance.now();
      await oneTurnOfTheLoop();
      call.recordFailure();
      call = await allow(runs[trial]);
      gaps.push(performance.now() - since);
    }
    // A pause is at least half of its length, and a timer may fire one millisecond early.
    for (const [at, pause] of [40, 80, 160, 160, 160].entries()) {
      expect(gaps[at]).toBeGreaterThanOrEqual(pause / 2 - 2);
    }
  });

  test('any answer closes it: all waiting calls are sent, and five failures are needed again', async () => {
    await breakIt();
    const { allowed } = line(4);
    await vi.waitFor(() => expect(allowed).toHaveLength(1), SOON);
    allowed[0]?.recordAnswer();
    await vi.waitFor(() => expect(allowed).toHaveLength(4), SOON);
    expect(events).toEqual(['open', 'close']);
    await failCalls(one, another, one, another);
    expect(events).toEqual(['open', 'close']);
  });

  test('an answer to a call from before it opened closes it', async () => {
    const early = await allow();
    await breakIt();
    early.recordAnswer();
    expect(events).toEqual(['open', 'close']);
  });

  test('failures of calls from before it closed do not open it again', async () => {
    const early = await Promise.all(runs.map((run) => allow(run)));
    await breakIt();
    (await allow()).recordAnswer();
    for (const call of early) call.recordFailure();
    expect(events).toEqual(['open', 'close']);
  });

  test('a trial that is given up lets the next call be the trial', async () => {
    await breakIt();
    const { allowed } = line(2);
    await vi.waitFor(() => expect(allowed).toHaveLength(1), SOON);
    allowed[0]?.abandon();
    await vi.waitFor(() => expect(allowed).toHaveLength(2), SOON);
  });

  test('an aborted call stops waiting at once and takes no turn', async () => {
    await breakIt();
    const abort = new AbortController();
    const aborted = allow(one, abort.signal);
    const { allowed } = line(1);
    abort.abort(new Error('cancelled'));
    await expect(aborted).rejects.toThrow('cancelled');
    await vi.waitFor(() => expect(allowed).toHaveLength(1), SOON);
  });
});

describe('whether a new run may begin', () => {
  const begins = (count: number): { let: AbortSignal[] } => {
    const granted: AbortSignal[] = [];
    for (let at = 0; at < count; at += 1)
      void breaker.mayBegin(patient).then((permission) => granted.push(permission));
    return { let: granted };
  };

  test('at once while closed, until it opens', async () => {
    const permission = await breaker.mayBegin(patient);
    expect(permission.aborted).toBe(false);
    await breakIt();
    expect(permission.aborted).toBe(true);
  });

  test('not while calls wait to be the trial; all runs once it is closed', async () => {
    await breakIt();
    const granted = begins(3).let;
    const call = await allow();
    await nothingMoves(granted, 0);
    call.recordAnswer();
    await vi.waitFor(() => expect(granted).toHaveLength(3), SOON);
    expect(granted.every(({ aborted }) => !aborted)).toBe(true);
  });

  test('one run at a time while no call waits, each for a pause; its call is the trial', async () => {
    await breakIt();
    const granted = begins(20).let;
    const valid = () => granted.filter(({ aborted }) => !aborted).length;
    await vi.waitFor(() => {
      expect(granted.length).toBeGreaterThanOrEqual(2);
      expect(valid()).toBe(1);
    }, 20_000);
    const call = await allow();
    expect(valid(), 'it has begun').toBe(0);
    const before = granted.length;
    expect(before).toBeLessThan(20);
    await nothingMoves(granted, before);
    call.recordAnswer();
    await vi.waitFor(() => expect(granted).toHaveLength(20), 20_000);
    expect(valid()).toBe(20 - before);
  });

  test('a stopped slot no longer waits', async () => {
    await breakIt();
    const stop = new AbortController();
    const stopped = breaker.mayBegin(stop.signal);
    stop.abort(new Error('stopping'));
    await expect(stopped).rejects.toThrow('stopping');
  });
});
