/**
 * Whether the endpoint accepts only one image in a request, the default of many self-hosted servers. Learnt from
 * refusals, so that not every copy has to be refused first.
 *
 * State: accepted and refused requests since the start of the process. After one accepted request with several
 * images later refusals are ignored, because they have other causes.
 */
export interface Images {
  readonly isOneAtMost: boolean;
  taken(count: number): void;
  refused(count: number): void;
}

/** Fewer refusals might be pages that a content filter blocks. */
const REFUSALS = 3;

export const createImages = (): Images => {
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
};
