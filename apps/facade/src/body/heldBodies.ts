import { DomainFailure } from '@evaluation/rest-contract/errors';

/*
 * Bodies in hand: how much memory they take, all together and of each institute.
 *
 * A body is in hand from its first byte until its answer is sent or its client is gone. It counts with what was kept of
 * it so far, so a client that announces much and sends nothing takes no room. An institute may hold twice what is free:
 * alone two thirds of all, and the next institute two thirds of the rest. So one institute never takes the last room of
 * another, and nothing is set aside for institutes that send nothing.
 */

export interface HeldBody {
  /** @param bytes that it takes now. @throws DomainFailure service_unavailable when there is no room for it */
  grow(bytes: number): void;
  /** It is longer than a small one. @throws DomainFailure service_unavailable when its institute has enough of them */
  becomesLarge(): void;
  /** It takes no room any more. */
  release(): void;
}

export interface HeldBodies {
  begin(instituteId: string): HeldBody;
}

interface Share {
  bytes: number;
  bodies: number;
  large: number;
}

/** Large bodies of one institute at once: each takes its time on the one thread that all requests share. */
const LARGE_OF_INSTITUTE = 2;

/** @param maxBytes of all of them; one alone may take two thirds of it */
export const heldBodies = (maxBytes: number): HeldBodies => {
  const shares = new Map<string, Share>();
  let held = 0;
  return {
    begin: (instituteId) => {
      const share = shares.get(instituteId) ?? { bytes: 0, bodies: 0, large: 0 };
      shares.set(instituteId, share);
      share.bodies += 1;
      let own = 0;
      let isLarge = false;
      let isOver = false;
      return {
        grow: (bytes) => {
          const more = bytes - own;
          if (isOver || more <= 0) return;
          const free = maxBytes - held - more;
          if (share.bytes + more > 2 * free) throw new DomainFailure('service_unavailable');
          own = bytes;
          share.bytes += more;
          held += more;
        },
        becomesLarge: () => {
          if (isOver || isLarge) return;
          if (share.large >= LARGE_OF_INSTITUTE) throw new DomainFailure('service_unavailable');
          isLarge = true;
          share.large += 1;
        },
        release: () => {
          if (isOver) return;
          isOver = true;
          held -= own;
          share.bytes -= own;
          share.bodies -= 1;
          if (isLarge) share.large -= 1;
          if (share.bodies === 0) shares.delete(instituteId);
        },
      };
    },
  };
};
