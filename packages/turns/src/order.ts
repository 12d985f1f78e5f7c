/**
 * Who of a queue goes next. First in, first out, but that a waiter changes places with an earlier one of its group when it
 * is alike to the last one of the group that went: alike ones are cheaper one after the other.
 *
 * The queue of groups stays as it is: whose turn it is, is always the group of the first waiter, and the change of places is
 * within that group. So no group gains or loses a turn by what its waiters are. The first waiter of a group is passed by a
 * bounded number of others, and then goes.
 */
export interface Waiter {
  grant: () => void;
  /** null: keeps its place. */
  among: { group: string; alike: string } | null;
  /** How many went instead of this one while it was the first of its group. */
  passed: number;
}

/** Groups of which it is known who went last. */
const MOST_GROUPS = 100;

export interface Order {
  /** Takes the next one out of the queue. */
  next(waiting: Waiter[]): Waiter | undefined;
  /** One went, whether it waited or not. */
  went(among: Waiter['among']): void;
}

export function createOrder(mostPassed: number): Order {
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
      // The others of the group move up to its remaining places, in their order.
      for (const [index, waiter] of waiters.entries()) waiting[places[index + 1] ?? 0] = waiter;
      waiting.shift();
      return next;
    },
    went(among) {
      if (among === null) return;
      last.delete(among.group);
      last.set(among.group, among.alike);
      for (const group of last.keys()) {
        if (last.size <= MOST_GROUPS) break;
        last.delete(group);
      }
    },
  };
}
