/**
 * A limiter of concurrency that is fair between keys, such as institutes.
 *
 *   acquire ──▶ holds a place ──release──▶ the place goes to the next key that may take it
 *      └─ no place is free for the key ──▶ waits ──▶ holds a place | rejected (aborted, waited too long, too many wait)
 *
 * State: the number of taken places, in all and by key, and one queue for each key. It is memory of one
 * process. Within a key the order is first in, first out. Between keys it is round robin: the key that was served last
 * goes to the end. A key never holds more than its share, even while other places are free, so that the next key finds
 * a free place.
 */

interface TurnsOptions {
  places: number;
  /** Most holders at once of one key. Default `places`. */
  share?: number;
  /** Most waiters of one key. Default: no limit. */
  mostWaiting?: number;
  /** Longest wait. Default: no limit. */
  waitMs?: number;
  /** Name of the resource, for `NoTurn.what` and its message. */
  what?: string;
}

export interface Turns {
  /**
   * Resolves to the function that releases the place; a second call of that function has no effect.
   * @throws NoTurn when too many waiters have the key or the wait was too long; the signal's reason when aborted
   */
  acquire(key: string, options?: { signal?: AbortSignal }): Promise<() => void>;
  waiting(): number;
}

/** No place came free in time, or too many waiters have the key. */
export class NoTurn extends Error {
  override readonly name = 'NoTurn';
  readonly what: string;

  constructor(what: string, reason: string) {
    super(`no turn at ${what}: ${reason}`);
    this.what = what;
  }
}

interface Line {
  taken: number;
  /** Functions that grant a place, in the order of arrival. */
  waiting: (() => void)[];
}

export const createTurns = (options: TurnsOptions): Turns => {
  const { places, share = Infinity, mostWaiting = Infinity, waitMs, what = 'it' } = options;
  let taken = 0;
  let waiting = 0;
  /** Keys with a holder or a waiter. The key that was served longest ago is first. */
  const lines = new Map<string, Line>();

  const isFree = (line: Line): boolean => taken < places && line.taken < share;

  function count(line: Line, by: 1 | -1): void {
    taken += by;
    line.taken += by;
  }

  function take(key: string, line: Line): () => void {
    count(line, 1);
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

  function forgetIfIdle(key: string, line: Line): void {
    if (line.taken === 0 && line.waiting.length === 0) lines.delete(key);
  }

  /** Grants free places: one to each key before any key gets a second one. */
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
      next?.waiting.shift()?.();
    } while (next !== undefined && taken < places);
  }

  return {
    async acquire(key, { signal } = {}) {
      signal?.throwIfAborted();
      const line: Line = lines.get(key) ?? { taken: 0, waiting: [] };
      lines.set(key, line);
      if (line.waiting.length === 0 && isFree(line)) return take(key, line);
      if (line.waiting.length >= mostWaiting) throw new NoTurn(what, `${mostWaiting} are waiting already`);
      return await new Promise((resolve, reject) => {
        const stopWaiting = () => {
          waiting -= 1;
          clearTimeout(timer);
          signal?.removeEventListener('abort', onAbort);
        };
        const giveUp = (reason: unknown) => {
          line.waiting.splice(line.waiting.indexOf(grantIt), 1);
          stopWaiting();
          forgetIfIdle(key, line);
          reject(reason);
        };
        const grantIt = () => {
          stopWaiting();
          resolve(take(key, line));
        };
        const onAbort = () => giveUp(signal?.reason);
        const timer =
          waitMs === undefined
            ? undefined
            : setTimeout(() => giveUp(new NoTurn(what, `no place came free within ${waitMs} ms`)), waitMs);
        waiting += 1;
        line.waiting.push(grantIt);
        signal?.addEventListener('abort', onAbort, { once: true });
      });
    },
    waiting: () => waiting,
  };
};
