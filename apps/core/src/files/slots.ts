import { randomUUID } from 'node:crypto';

/** What a process remembers about the slots of each lane's workers. */
export interface Slots {
  /**
   * Records claimed jobs plus open requests for jobs. A slot between two jobs is in neither count, so the maximum of
   * the last LATELY_MS counts. @returns the slots of the lane
   */
  seen(lane: string, count: number): number;
  /** The institute of the last release by this process; at first a random id, since none is always the first. */
  lastServed(lane: string): string;
  /** Records that a job of the institute was released. */
  noteServed(lane: string, instituteId: string): void;
}

/** Longer than a request for a job stays open. Slots of stopped workers count this long. */
const LATELY_MS = 15_000;

/** State: memory of the process; a new process starts without observations. */
export const rememberSlots = (now: () => number = () => performance.now()): Slots => {
  const lately = new Map<string, { at: number; count: number }[]>();
  const served = new Map<string, string>();
  return {
    seen: (lane, count) => {
      const at = now();
      // Drops older observations that are not above `count`: `count` is as large and expires later.
      const kept = (lately.get(lane) ?? []).filter(
        (sight) => sight.at > at - LATELY_MS && sight.count > count,
      );
      kept.push({ at, count });
      lately.set(lane, kept);
      return kept[0]?.count ?? count;
    },
    lastServed: (lane) => served.get(lane) ?? randomUUID(),
    noteServed: (lane, instituteId) => void served.set(lane, instituteId),
  };
};
