import { EventEmitter, once } from 'node:events';

/*
 * Inspections whose end this process has seen. A read that waits for one of them is answered at once, and a submission
 * of its upload needs no read before its transaction, which checks the upload itself. State: memory of one process, at
 * most MOST_ENDS ids. An end that another replica recorded is found by reading the upload again.
 */

const MOST_ENDS = 20_000;

export interface KnownInspections {
  /** Call after the commit of the outcome, or when the outcome was read. */
  noteEnd(uploadId: string): void;
  hasEnded(uploadId: string): boolean;
  /** Waits until the next `noteEnd`, for `ms` at most. */
  untilEnd(uploadId: string, ms: number): Promise<void>;
}

export const knownInspections = (): KnownInspections => {
  const ended = new Set<string>();
  const ends = new EventEmitter().setMaxListeners(0);
  return {
    noteEnd: (uploadId) => {
      ended.add(uploadId);
      const [oldest] = ended;
      if (ended.size > MOST_ENDS && oldest !== undefined) ended.delete(oldest);
      ends.emit(uploadId);
    },
    hasEnded: (uploadId) => ended.has(uploadId),
    untilEnd: async (uploadId, ms) => {
      await once(ends, uploadId, { signal: AbortSignal.timeout(ms) }).catch(() => {});
    },
  };
};
