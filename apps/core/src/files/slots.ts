/** Estimates how many jobs the workers of a lane can process at once. */
export interface Slots {
  /**
   * Records claimed jobs plus open requests for jobs. A slot between two jobs is in neither count, so the maximum of
   * the last LATELY_MS counts. @returns the slots of the lane
   */
  seen(lane: string, count: number): number;
}

/** Longer than a request for a job stays open. Slots of stopped workers count this long. */
const LATELY_MS = 15_000;

/** State: memory of the process; a new process starts without observations. */
export const rememberSlots = (now: () => number = () => performance.now()): Slots => {
  const lately = new Map<string, { at: number; count: number }[]>();
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
  };
};
