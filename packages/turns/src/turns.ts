/**
 * A limiter of concurrency that is fair between keys, such as institutes.
 *
 *   acquire ──▶ holds a place ──release──▶ the place goes to the next key that may take it
 *      └─ none is free for the key ──▶ waits ──▶ holds a place | rejected (aborted, waited too long, too many wait)
 *
 * State: how many places are taken, in all, of each class and of each key, and one queue for each key. Within a key the
 * order is first in, first out, but for waiters of a group that say what they are alike in (order.ts). Between keys it is round robin: the key that was served last goes to the end. A key never
 * holds more than its share, also while other places are free, so that the next key finds one. All of it is memory of
 * one process and ends with it.
 */
import { createOrder, type Order, type Waiter } from './order.ts';

export interface TurnsOptions {
  /** Holders at once. */
  places: number;
  /** Holders at once of one key; `places` when left out. */
  share?: number;
  /** Holders at once of one class of keys; `places` when left out. Fewer keep places free for the other classes. */
  classPlaces?: number;
  /** Waiters of one key, at most. Without a bound when left out. */
  mostWaiting?: number;
  /** How long one waits, at most. Without a bound when left out. */
  waitMs?: number;
  /** How many of its group may go before a waiter that is the first of it, for being alike to the last one. Default 0. */
  mostPassed?: number;
  /** What is waited for, for the message of the rejection and for `NoTurn.what`. */
  what?: string;
}

export interface Turns {
  /**
   * Resolves to the function that gives the place back; calling it more than once has no further effect.
   * @throws NoTurn too many of the key wait, or it waited too long; the signal's reason when aborted
   */
  acquire(
    key: string,
    options?: {
      signal?: AbortSignal;
      class?: string;
      /** Before the other waiters of the key: for one that has waited for something else that they still need. */
      isNext?: boolean;
      /** Changes places with others of its `group` to follow one with the same `alike` (`mostPassed`). */
      among?: { group: string; alike: string };
    },
  ): Promise<() => void>;
  /** So many places from now on. Holders keep theirs; of fewer places none is given away until enough are back. */
  resize(places: number): void;
  /** How many wait now. */
  waiting(): number;
}

/** No place came free in time. */
export class NoTurn extends Error {
  override readonly name = 'NoTurn';
  readonly what: string;

  constructor(what: string, reason: string) {
    super(`no turn at ${what}: ${reason}`);
    this.what = what;
  }
}

interface Line {
  class: string;
  taken: number;
  waiting: Waiter[];
  order: Order;
}

export function createTurns(options: TurnsOptions): Turns {
  const {
    share = Infinity,
    classPlaces = Infinity,
    mostWaiting = Infinity,
    mostPassed = 0,
    waitMs,
    what = 'it',
  } = options;
  let places = options.places;
  let taken = 0;
  let waiting = 0;
  const takenByClass = new Map<string, number>();
  /** Keys with a holder or a waiter, the one that was served longest ago first. */
  const lines = new Map<string, Line>();

  const isFree = (line: Line): boolean =>
    taken < places && line.taken < share && (takenByClass.get(line.class) ?? 0) < classPlaces;

  function count(line: Line, by: 1 | -1): void {
    taken += by;
    line.taken += by;
    takenByClass.set(line.class, (takenByClass.get(line.class) ?? 0) + by);
  }

  function take(key: string, line: Line, among: Waiter['among']): () => void {
    count(line, 1);
    line.order.went(among);
    lines.delete(key);
    lines.set(key, line);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      count(line, -1);
      forgetIfIdle(key, line);
      grant();
    };
  }

  const newLine = (ofClass: string): Line => ({
    class: ofClass,
    taken: 0,
    waiting: [],
    order: createOrder(mostPassed),
  });

  function forgetIfIdle(key: string, line: Line): void {
    if (line.taken === 0 && line.waiting.length === 0) lines.delete(key);
  }

  /** Gives free places away, one to a key before any key gets a second one. */
  function grant(): void {
    let next: Line | undefined;
    do {
      next = undefined;
      for (const line of lines.values()) {
        if (line.waiting.length > 0 && isFree(line)) {
          next = line;
          break;
        }
      }
      if (next !== undefined) next.order.next(next.waiting)?.grant();
    } while (next !== undefined && taken < places);
  }

  return {
    async acquire(key, { signal, class: ofClass = '', isNext = false, among = null } = {}) {
      signal?.throwIfAborted();
      // A key belongs to one class: the same key in another class is another line.
      const lineKey = `${ofClass} ${key}`;
      const line = lines.get(lineKey) ?? newLine(ofClass);
      lines.set(lineKey, line);
      if (line.waiting.length === 0 && isFree(line)) return take(lineKey, line, among);
      if (line.waiting.length >= mostWaiting) throw new NoTurn(what, `${mostWaiting} wait already`);
      return await new Promise((resolve, reject) => {
        const stopWaiting = () => {
          waiting -= 1;
          clearTimeout(timer);
          signal?.removeEventListener('abort', onAbort);
        };
        const giveUp = (reason: unknown) => {
          line.waiting.splice(line.waiting.indexOf(waiter), 1);
          stopWaiting();
          forgetIfIdle(lineKey, line);
          reject(reason);
        };
        const grantIt = () => {
          stopWaiting();
          resolve(take(lineKey, line, among));
        };
        const waiter: Waiter = { grant: grantIt, among, passed: 0 };
        const onAbort = () => giveUp(signal?.reason);
        const timer =
          waitMs === undefined
            ? undefined
            : setTimeout(() => giveUp(new NoTurn(what, `none within ${waitMs} ms`)), waitMs);
        waiting += 1;
        if (isNext) line.waiting.unshift(waiter);
        else line.waiting.push(waiter);
        signal?.addEventListener('abort', onAbort, { once: true });
      });
    },
    resize(to) {
      places = to;
      grant();
    },
    waiting: () => waiting,
  };
}
