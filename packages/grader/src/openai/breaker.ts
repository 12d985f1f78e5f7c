/**
 * Keeps calls back while the provider is down (docs/architecture.md#breaker-and-preflight), so that an outage costs a few runs their time and
 * not all of them, and so that a provider that comes back is not met by everybody at once.
 *
 *   closed ──5 calls in a row, of 2 runs or more, found it down──▶ open
 *   open ──its pause is over──▶ trying: one call goes out (the one that has waited longest), or one new run may begin
 *   trying ──that call found it down──▶ open, its pause doubled
 *   any state ──a call got an answer, whatever it says──▶ closed: all that waits goes on
 *
 * Down: no connection, no answer in time, 5xx, a status 200 without a model's output, and a refusal of us (401, 402, 403,
 * 404, a quota used up). A request that is refused for no reason of its own (400, 422) counts too: an endpoint that refuses
 * every request of several runs refuses us. A 429 is an answer, until nothing but 429s has come for
 * minutes: then nobody gets an answer either. Two runs, since a single one whose calls all break the provider says
 * something of that run only. A call that was given up says nothing.
 *
 * State: lives in this one object, is changed by the calls of one grader and by one timer, and dies with the process;
 * a process that starts while the provider is down finds out by its own calls.
 */
import { setMaxListeners } from 'node:events';

export interface Breaker {
  /** Calls are kept back. */
  readonly isOpen: boolean;
  /**
   * Resolves when a call may go out, to what must be told its outcome, once. Rejects with the signal's reason.
   * @param run tells runs apart; any object that the calls of one run share
   */
  enter(run: object, signal: AbortSignal): Promise<Passage>;
  /**
   * Resolves when a new run may begin: to a signal that takes the permission back while none has begun. Rejects with
   * the signal's reason.
   */
  mayBegin(signal: AbortSignal): Promise<AbortSignal>;
  /** Ends its timer. */
  close(): void;
}

/** How a call ended; the first word counts. */
export interface Passage {
  /** Somebody answered. */
  answered(): void;
  /** Nobody did. */
  foundDown(): void;
  /** It has too much to do. */
  throttled(): void;
  /** It was given up before anything was known. */
  givenUp(): void;
}

export interface BreakerOptions {
  /** The first pause, doubled after each call that finds the provider still down, up to the longest. Milliseconds. */
  firstPauseMs: number;
  longestPauseMs: number;
  /** For so long nothing but 429s: from then on each counts as one that found it down. Milliseconds. */
  throttledMs: number;
  onOpen(): void;
  onClose(): void;
}

const FAILURES = 5;
const RUNS = 2;

type State =
  | { is: 'closed' }
  | { is: 'open' }
  /** `call` is the one that went out; null while none is there to go. */
  | { is: 'trying'; call: object | null };

export function createBreaker(options: BreakerOptions): Breaker {
  let state: State = { is: 'closed' };
  /** Calls that were under way when it closed last know nothing of how things are since. */
  let closings = 0;
  let failures = 0;
  let failedRuns = new Set<object>();
  /** The first and the latest of the 429s with no answer between them. */
  let throttled: { first: number; latest: number } | null = null;
  let pauseMs = options.firstPauseMs;
  let timer: NodeJS.Timeout | undefined;
  const calls = new WaitingLine();
  const begins = new WaitingLine();
  /** Permission to begin a run: that of all while closed, that of one while trying. */
  let permission = newPermission();

  function pause(): void {
    clearTimeout(timer);
    // Half fixed, half random: workers that found it down together do not come back together.
    timer = setTimeout(tryAgain, pauseMs / 2 + (pauseMs / 2) * Math.random());
    timer.unref();
  }

  function tryAgain(): void {
    if (state.is === 'closed') return;
    if (state.is === 'trying' && state.call !== null) return;
    state = { is: 'trying', call: null };
    if (calls.letOneGo()) return;
    // Nobody is there to ask. The next one that takes a run will be: one at a time, each for a pause.
    permission.abort();
    permission = newPermission();
    begins.letOneGo();
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
    calls.letAllGo();
    begins.letAllGo();
  }

  /** Whether there has been nothing but 429s for long. While calls go out as they like, a silence as long ends that. */
  function isThrottledForLong(): boolean {
    const now = performance.now();
    const isFresh =
      throttled === null || (state.is === 'closed' && now - throttled.latest >= options.throttledMs);
    throttled = { first: isFresh || throttled === null ? now : throttled.first, latest: now };
    return now - throttled.first >= options.throttledMs;
  }

  function passage(run: object): Passage {
    const call = {};
    const begun = closings;
    if (state.is === 'trying') {
      state.call = call;
      // Whoever was to find somebody to ask need not: this one asks.
      permission.abort();
      clearTimeout(timer);
    }
    const isTrial = () => state.is === 'trying' && state.call === call;
    let told = false;
    const once = (tell: () => void) => () => {
      if (told) return;
      told = true;
      tell();
    };
    const findDown = () => {
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
      answered: once(() => {
        throttled = null;
        close();
      }),
      foundDown: once(findDown),
      throttled: once(() => (isThrottledForLong() ? findDown() : close())),
      givenUp: once(() => {
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
    async enter(run, signal) {
      signal.throwIfAborted();
      while (state.is === 'open' || (state.is === 'trying' && state.call !== null)) await calls.wait(signal);
      return passage(run);
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
}

function newPermission(): AbortController {
  const permission = new AbortController();
  // As many listen as slots wait for a run.
  setMaxListeners(0, permission.signal);
  return permission;
}

/** Those who wait, in the order they came; whoever is aborted leaves it. */
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

  /** @returns false when nobody waits */
  letOneGo(): boolean {
    const first = this.#waiting.shift();
    first?.();
    return first !== undefined;
  }

  letAllGo(): void {
    while (this.letOneGo());
  }
}
