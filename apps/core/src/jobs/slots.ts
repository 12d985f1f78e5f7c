/** How many jobs the workers of a lane can have in hand at once. */
export interface Slots {
  /**
   * Notes how many slots were seen just now: those with a job in hand and those that ask for one. A slot that is between
   * two jobs, or between two requests, is in neither, so the most that was seen lately counts.
   * @returns the slots of the lane
   */
  seen(lane: string, count: number): number;
}

/** More than a request for a job stays open. Slots of workers that went are counted for so long. */
const LATELY_MS = 15_000;

/** Memory of one process; the next one finds out again. */
export const rememberSlots = (now: () => number = () => performance.now()): Slots => {
  const lately = new Map<string, { at: number; count: number }[]>();
  return {
    seen: (lane, count) => {
      const at = now();
      // A sight that is older and not more than a later one never counts again.
      const kept = (lately.get(lane) ?? []).filter(
        (sight) => sight.at > at - LATELY_MS && sight.count > count,
      );
      kept.push({ at, count });
      lately.set(lane, kept);
      return kept[0]?.count ?? count;
    },
  };
};
