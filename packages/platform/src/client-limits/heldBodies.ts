/*
 * Memory taken by request bodies in progress, in total and per institute.
 *
 * A body is in progress from its first byte until its answer is sent or its client disconnects. It counts with the
 * bytes kept so far, so a request that declares a large body and sends nothing takes no memory. The bodies of an
 * institute may take at most twice the memory that is still free: two thirds of the total for the first institute, two
 * thirds of the rest for the next one. So free memory is left for further institutes, and none is reserved for idle
 * institutes.
 */

interface HeldBody {
  /** @param bytes that the body takes now. @throws NoRoom when the limit is reached */
  grow(bytes: number): void;
  /** Marks the body as large. @throws NoRoom above `LARGE_OF_INSTITUTE` bodies */
  becomesLarge(): void;
  release(): void;
}

export interface HeldBodies {
  begin(instituteId: string): HeldBody;
}

/** The memory for bodies is taken; a later request may succeed. */
export class NoRoom extends Error {
  override readonly name = 'NoRoom';

  constructor() {
    super('the memory for request bodies is taken');
  }
}

interface Share {
  bytes: number;
  bodies: number;
  large: number;
}

/** Maximum per institute: each large body takes time on the one thread that all requests share. */
const LARGE_OF_INSTITUTE = 2;

/** @param maxBytes of all bodies together; one body alone may take two thirds of it */
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
          if (share.bytes + more > 2 * free) throw new NoRoom();
          own = bytes;
          share.bytes += more;
          held += more;
        },
        becomesLarge: () => {
          if (isOver || isLarge) return;
          if (share.large >= LARGE_OF_INSTITUTE) throw new NoRoom();
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
