/**
 * Decides which waiter of a queue goes next. The queue is first in, first out, with one exception: a waiter swaps
 * places with an earlier waiter of its group when its `alike` equals that of the group's last served waiter. Calls that
 * are alike cost less when they follow each other, because the endpoint has their beginning cached.
 *
 * The turns of groups do not change: the next turn belongs to the group of the first waiter, and swaps stay within a
 * group. The first waiter of a group is passed at most `mostPassed` times; then it goes.
 */
export interface Waiter {
  grant: () => void;
  /** null: the waiter keeps its place. */
  among: { group: string; alike: string } | null;
  /** How many waiters were served instead of this one while it was the first of its group. */
  passed: number;
}

/** Bound on the memory of last served groups. */
const MOST_GROUPS = 100;

export interface Order {
  next(waiting: Waiter[]): Waiter | undefined;
  /** Records that a holder got a place, with or without waiting. */
  granted(among: Waiter['among']): void;
}

export const createOrder = (mostPassed: number): Order => {
  const last = new Map<string, string>();
  return {
    next(waiting) {
      const [first] = waiting;
      const among = first?.among ?? null;
      if (first === undefined || among === null) return waiting.shift();
      const alike = last.get(among.group);
      if (alike === undefined || alike === among.alike || first.passed >= mostPassed) return waiting.shift();
      const places = waiting.flatMap((waiter, place) => (waiter.among?.group === among.group ? [place] : []));
      const chosen = places.findIndex((place) => waiting[place]?.among?.alike === alike);
      if (chosen < 0) return waiting.shift();
      first.passed += 1;
      const waiters = places.flatMap((place) => waiting[place] ?? []);
      const [next] = waiters.splice(chosen, 1);
      // The other waiters of the group move up to its remaining places, in their order.
      for (const [index, waiter] of waiters.entries()) waiting[places[index + 1] ?? 0] = waiter;
      waiting.shift();
      return next;
    },
    granted(among) {
      if (among === null) return;
      last.delete(among.group);
      last.set(among.group, among.alike);
      for (const group of last.keys()) {
        if (last.size <= MOST_GROUPS) break;
        last.delete(group);
      }
    },
  };
};
