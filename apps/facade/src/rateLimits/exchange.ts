import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Broadcasts } from '@evaluation/lanes';
import type { Demand, Outcome } from './decision.ts';
import { openLedger, type Ledger, type Said } from './ledger.ts';
import { openReplicas } from './replicas.ts';

/*
 * Carries the news of the ledger to the other replicas and back, and holds requests while others are asked for rights.
 *
 * State: the timer, what is being sent, and the requests that wait. When NATS is away nothing is sent and nothing is waited
 * for; the ledger goes on by itself.
 */

export type Decision = Exclude<Outcome, { kind: 'asking' }>;

export interface RateLimits extends Pick<Ledger, 'count' | 'release' | 'tightest'> {
  /**
   * Counts a request or refuses it. At once, unless other replicas are asked: then within ANSWER_MS.
   * @param hold count nothing for good yet: `count` or `release` the places later
   */
  admit(demands: readonly Demand[], hold?: boolean): Decision | Promise<Decision>;
  /** Leaves what is left here to another replica. */
  close(): Promise<void>;
}

const TICK_MS = 100;
/** A sign of life when there is no news. */
const ALIVE_MS = 500;
/**
 * An answer takes about a millisecond. Who does not answer in this time is gone, and the request is refused: so far more
 * than a busy machine delays one, or a new replica, which has to ask, would refuse what is well within the limit.
 */
const ANSWER_MS = 1_000;
/** A start waits this long for NATS, and then for the others to say that they are there. */
const LINK_WAIT_MS = 1_000;
const GREETING_MS = 150;
/** Rows of a message: some 300 bytes each, and NATS takes 1 MB. */
const ROWS = 1_000;

/** Starts to exchange counts. Resolves when it is known who else is there, or that NATS is away. */
export const startRateLimits = async (lanes: Broadcasts): Promise<RateLimits> => {
  const steady = () => performance.now();
  const replicas = openReplicas(randomUUID(), Date.now());
  const ledger = openLedger({ replicas, onUrgent: () => sendSoon() });
  let waiting: (() => void)[] = [];
  let sending: Promise<void> | undefined;
  let isSoon = false;
  let sentMs = Number.NEGATIVE_INFINITY;

  const sendAll = async (gone?: Said['gone']): Promise<void> => {
    sentMs = steady();
    for (const { windows, gone: isGone, ...of } of ledger.news(gone)) {
      for (let at = 0; at === 0 || at < windows.length; at += ROWS) {
        const isLast = at + ROWS >= windows.length;
        await lanes.broadcast('rate_counts', {
          version: 1,
          ...of,
          windows: windows.slice(at, at + ROWS),
          // All of what it counted comes before the word that it is no more; of others it is said each time.
          ...(isGone === undefined || (of.replica === replicas.self && !isLast) ? {} : { gone: isGone }),
        });
      }
    }
  };

  /** One at a time: without NATS each would wait a second, and they would pile up. */
  const send = (gone?: Said['gone']): Promise<void> =>
    (sending ??= sendAll(gone)
      // There is no connection; the next try says it again.
      .catch(() => ledger.sayAgain())
      .finally(() => {
        sending = undefined;
      }));

  /** All news of one turn of the event loop in one message. */
  const sendSoon = (): void => {
    if (isSoon) return;
    isSoon = true;
    setImmediate(() => {
      void (sending ?? Promise.resolve()).then(() => {
        isSoon = false;
        return send();
      });
    });
  };

  const stopListening = lanes.onBroadcast('rate_counts', (message) => {
    if (!ledger.receive(message)) return;
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  });

  const timer = setInterval(() => {
    ledger.forget();
    if (ledger.hasNews() || steady() - sentMs >= ALIVE_MS) void send();
  }, TICK_MS);
  timer.unref();

  void send();
  for (const giveUpMs = steady() + LINK_WAIT_MS; !replicas.isLinked(steady()) && steady() < giveUpMs;)
    await wait(5);
  if (replicas.isLinked(steady())) await wait(GREETING_MS);
  while (!replicas.mayJoin() && replicas.isLinked(steady())) await wait(5);
  replicas.join();
  void send();

  /** Resolves with the next news of others, or when the time is up. */
  const newsOrTimeout = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const late = setTimeout(resolve, ms);
      waiting.push(() => {
        clearTimeout(late);
        resolve();
      });
    });

  const ask = async (demands: readonly Demand[], hold: boolean): Promise<Decision> => {
    const deadline = steady() + ANSWER_MS;
    for (;;) {
      await newsOrTimeout(deadline - steady());
      const last = steady() >= deadline;
      if (last) ledger.giveUp(demands);
      const outcome = ledger.take(demands, { hold, last });
      if (outcome.kind !== 'asking') return outcome;
    }
  };

  return {
    count: ledger.count,
    release: ledger.release,
    tightest: ledger.tightest,
    admit(demands, hold = false) {
      const outcome = ledger.take(demands, { hold });
      return outcome.kind === 'asking' ? ask(demands, hold) : outcome;
    },
    async close() {
      clearInterval(timer);
      stopListening();
      while (sending !== undefined) await sending;
      const heir = replicas.heir(Date.now());
      if (heir !== undefined) await send({ at: Date.now(), heir });
    },
  };
};
