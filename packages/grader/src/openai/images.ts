/**
 * Whether the endpoint takes one image a request and no more, as servers of one's own do by default: found out by what it
 * refuses, so that each copy need not find out anew.
 *
 * State: what it has taken and refused since the process started. A single request of several images that it takes ends
 * all doubt: what it refuses then it refuses for something else.
 */
export interface Images {
  readonly isOneAtMost: boolean;
  /** It answered a request with so many. */
  taken(count: number): void;
  /** It refused to look at a request with so many. */
  refused(count: number): void;
}

/** Fewer might be pages that a filter does not let through. */
const REFUSALS = 3;

export function createImages(): Images {
  let hasTakenOne = false;
  let hasTakenSeveral = false;
  let refusals = 0;
  return {
    get isOneAtMost() {
      return hasTakenOne && !hasTakenSeveral && refusals >= REFUSALS;
    },
    taken(count) {
      if (count === 1) hasTakenOne = true;
      if (count > 1) hasTakenSeveral = true;
    },
    refused(count) {
      if (count > 1) refusals += 1;
    },
  };
}
