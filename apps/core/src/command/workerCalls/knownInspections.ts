import { EventEmitter, once } from 'node:events';
import { LRUCache } from 'lru-cache';

/*
 * Inspections whose end this process has seen. A read that waits for one of them is answered at once, and a submission
 * of its upload needs no read before its transaction, which checks the upload itself. State: memory of one process, at
 * most MOST_ENDS ids. An end that another replica recorded is found by reading the upload again.
 */

const MOST_ENDS = 20_000;

interface Inspected {
  /** Part of the key, so that a foreign id takes as long as an unknown one. */
  institute_id: string;
  upload_id: string;
}

export interface KnownInspections {
  /** Call after the commit of the outcome, or when the outcome was read. */
  noteEnd(upload: Inspected): void;
  hasEnded(upload: Inspected): boolean;
  /** Waits until the next `noteEnd`, for `ms` at most. */
  untilEnd(upload: Inspected, ms: number): Promise<void>;
}

export const knownInspections = (): KnownInspections => {
  const ended = new LRUCache<string, true>({ max: MOST_ENDS });
  const ends = new EventEmitter().setMaxListeners(0);
  return {
    noteEnd: (upload) => {
      const key = keyOf(upload);
      ended.set(key, true);
      ends.emit(key);
    },
    hasEnded: (upload) => ended.has(keyOf(upload)),
    untilEnd: async (upload, ms) => {
      await once(ends, keyOf(upload), { signal: AbortSignal.timeout(ms) }).catch(() => {});
    },
  };
};

const keyOf = ({ institute_id, upload_id }: Inspected): string => `${institute_id}/${upload_id}`;
