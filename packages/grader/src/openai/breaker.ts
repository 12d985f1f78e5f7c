/**
 * Holds calls back while the provider is down (docs/architecture.md#breaker-and-preflight), so that an outage costs few
 * runs their time, and so that a provider that recovers does not get all calls at once.
 *
 *   closed ──5 calls in a row, of 2 runs or more, failed──▶ open
 *   open ──its pause is over──▶ trying: one call is sent (the longest waiting), or one new run may begin
 *   trying ──that call failed──▶ open, its pause doubled
 *   any state ──a call got an answer of any kind──▶ closed: all waiting calls are sent
 *
 * Failed: no connection, no answer in time, 5xx, a status 200 without a model's output, and a refusal of us (401, 402,
 * 403, 404, a used-up quota). A request refused without a named reason (400, 422) also counts, because an endpoint that
 * refuses all requests of several runs refuses us. A 429 counts as an answer until only 429s have come for
 * `throttledMs`. Two runs are required, because one run whose calls all fail may itself be the cause. A call that was
 * given up does not count.
 *
 * State: in this object, changed by the calls of one grader and by one timer. It ends with the process; a new process
 * finds an outage by its own calls.
 */
import { jittered } from '@evaluation/platform/backoff';
import { newPermission } from '../endpointPause.ts';

export interface Breaker {
  readonly isOpen: boolean;
  /**
   * Resolves when a call may be sent. The caller reports the outcome once. Rejects with the signal's reason.
   * @param run any object that the calls of one run share
   */
  allow(run: object, signal: AbortSignal): Promise<AllowedCall>;
  /** Resolves when a new run may begin, to a signal that revokes the permission. Rejects with the signal's reason. */
  mayBegin(signal: AbortSignal): Promise<AbortSignal>;
  close(): void;
}

/** A call that the breaker lets through, and its outcome. Only the first report counts. */
export interface AllowedCall {
  recordAnswer(): void;
  recordFailure(): void;
  /** The endpoint answered 429. */
  recordThrottled(): void;
  /** The call ended before its outcome was known. */
  abandon(): void;
}

interface BreakerOptions {
  /** First pause in milliseconds. Doubles after each failed trial, up to `longestPauseMs`. */
  firstPauseMs: number;
  longestPauseMs: number;
  /** Time with only 429s after which each 429 counts as a failure, in milliseconds. */
  throttledMs: number;
  onOpen(): void;
  onClose(): void;
}

const FAILURES = 5;
const RUNS = 2;

type State =
  | { is: 'closed' }
  | { is: 'open' }
  /** `call` is the trial; null while no call waits. */
  | { is: 'trying'; call: object | null };

export const createBreaker = (options: BreakerOptions): Breaker => {
  let state: State = { is: 'closed' };
  /** Number of times the breaker closed. A failure of a call that began before the last time is ignored. */
  let closings = 0;
  let failures = 0;
  let failedRuns = new Set<object>();
  /** Times of the first and the latest 429 since the last answer. */
  let throttled: { first: number; latest: number } | null = null;
  let pauseMs = options.firstPauseMs;
  let timer: NodeJS.Timeout | undefined;
  const calls = new WaitingLine();
  const begins = new WaitingLine();
  /** Permission to begin runs: for all while closed, for one while trying. */
  let permission = newPermission();

  function pause(): void {
    clearTimeout(timer);
    timer = setTimeout(tryAgain, jittered(pauseMs));
    timer.unref();
  }

  function tryAgain(): void {
    if (state.is === 'closed') return;
    if (state.is === 'trying' && state.call !== null) return;
    state = { is: 'trying', call: null };
    if (calls.releaseFirst()) return;
    // No call waits, so a new run may make the trial: one run at a time, each for a pause.
    permission.abort();
    permission = newPermission();
    begins.releaseFirst();
    pause();
  }

  function open(): void {
    state = { is: 'open' };
    permission.abort();
    permission = newPermission();
    pause();
  }

  function close(): void {
    const wasClosed = state.is === 'closed';
    failures = 0;
    failedRuns = new Set();
    if (wasClosed) return;
    state = { is: 'closed' };
    closings += 1;
    pauseMs = options.firstPauseMs;
    clearTimeout(timer);
    permission = newPermission();
    options.onClose();
    calls.releaseAll();
    begins.releaseAll();
  }

  /** Whether only 429s came for `throttledMs`. While calls are sent freely, an equally long silence ends the count. */
  function isThrottledForLong(): boolean {
    const now = performance.now();
    const isFresh =
      throttled === null || (state.is === 'closed' && now - throttled.latest >= options.throttledMs);
    throttled = { first: isFresh || throttled === null ? now : throttled.first, latest: now };
    return now - throttled.first >= options.throttledMs;
  }

  function allowedCall(run: object): AllowedCall {
    const call = {};
    const begun = closings;
    if (state.is === 'trying') {
      state.call = call;
      // This call makes the trial, so no new run is needed for it.
      permission.abort();
      clearTimeout(timer);
    }
    const isTrial = () => state.is === 'trying' && state.call === call;
    let isReported = false;
    const once = (report: () => void) => () => {
      if (isReported) return;
      isReported = true;
      report();
    };
    const fail = () => {
      if (isTrial()) {
        pauseMs = Math.min(pauseMs * 2, options.longestPauseMs);
        open();
      } else if (state.is === 'closed' && begun === closings) {
        failures += 1;
        failedRuns.add(run);
        if (failures < FAILURES || failedRuns.size < RUNS) return;
        options.onOpen();
        open();
      }
    };
    return {
      recordAnswer: once(() => {
        throttled = null;
        close();
      }),
      recordFailure: once(fail),
      recordThrottled: once(() => (isThrottledForLong() ? fail() : close())),
      abandon: once(() => {
        if (!isTrial()) return;
        state = { is: 'trying', call: null };
        tryAgain();
      }),
    };
  }

  return {
    get isOpen() {
      return state.is !== 'closed';
    },
    async allow(run, signal) {
      signal.throwIfAborted();
      while (state.is === 'open' || (state.is === 'trying' && state.call !== null)) await calls.wait(signal);
      return allowedCall(run);
    },
    async mayBegin(signal) {
      signal.throwIfAborted();
      if (state.is !== 'closed') await begins.wait(signal);
      return permission.signal;
    },
    close() {
      clearTimeout(timer);
    },
  };
};

/** Waiting calls in their order; an aborted call leaves the line. */
class WaitingLine {
  readonly #waiting: (() => void)[] = [];

  async wait(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const go = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(go), 1);
        reject(signal.reason);
      };
      this.#waiting.push(go);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  /** @returns false if no call waits */
  releaseFirst(): boolean {
    const first = this.#waiting.shift();
    first?.();
    return first !== undefined;
  }

  releaseAll(): void {
    while (this.releaseFirst());
  }
}
