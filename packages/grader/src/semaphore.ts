/**
 * At most `places` holders at once; the others wait in the order they came. State: how many places are free, and the
 * queue of those who wait. A waiter that is aborted leaves the queue and takes no place.
 */
export interface Semaphore {
  /** Resolves to the function that gives the place back (once; more is harmless). Rejects with the signal's reason. */
  acquire(signal: AbortSignal): Promise<() => void>;
}

export function createSemaphore(places: number): Semaphore {
  let free = places;
  const waiting: (() => void)[] = [];

  function place(): () => void {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    };
  }

  return {
    async acquire(signal) {
      signal.throwIfAborted();
      if (free > 0) {
        free -= 1;
        return place();
      }
      return await new Promise((resolve, reject) => {
        const granted = () => {
          signal.removeEventListener('abort', aborted);
          resolve(place());
        };
        const aborted = () => {
          waiting.splice(waiting.indexOf(granted), 1);
          reject(signal.reason);
        };
        waiting.push(granted);
        signal.addEventListener('abort', aborted, { once: true });
      });
    },
  };
}
