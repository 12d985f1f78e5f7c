/**
 * At most `places` holders at once; the others wait in the order they came. State: how many places there are and how
 * many are taken, and the queue of those who wait. A waiter that is aborted leaves the queue and takes no place.
 */
export interface Semaphore {
  /** Resolves to the function that gives the place back (once; more is harmless). Rejects with the signal's reason. */
  acquire(signal: AbortSignal): Promise<() => void>;
  /** So many places from now on. Whoever holds one keeps it; of fewer places none is given away until enough are back. */
  resize(places: number): void;
}

export function createSemaphore(places: number): Semaphore {
  let all = places;
  let taken = 0;
  const waiting: (() => void)[] = [];

  function place(): () => void {
    taken += 1;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      taken -= 1;
      letIn();
    };
  }

  function letIn(): void {
    while (taken < all) {
      const next = waiting.shift();
      if (next === undefined) return;
      next();
    }
  }

  return {
    async acquire(signal) {
      signal.throwIfAborted();
      if (taken < all) return place();
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
    resize(to) {
      all = to;
      letIn();
    },
  };
}
