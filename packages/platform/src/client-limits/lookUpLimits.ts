import { networkOf } from './network.ts';
import { tokenBuckets } from './tokenBuckets.ts';

/**
 * Limits look-ups in core of keys, sessions and links that this replica does not know, per client network and in total.
 * A look-up takes a token of both; one that finds something returns them, so only unknown ones use up the limit.
 */
export interface LookUpLimits {
  /** @returns null when the look-up is allowed; otherwise the seconds to wait */
  take(address: string): number | null;
  giveBack(address: string): void;
}

/** @param clock monotonic time in milliseconds */
export const lookUpLimits = (
  perMinute: { address: number; all: number },
  clock?: () => number,
): LookUpLimits => {
  const networks = tokenBuckets(perMinute.address, clock);
  const all = tokenBuckets(perMinute.all, clock);
  return {
    take: (address) => {
      const network = networkOf(address);
      const seconds = Math.max(networks.wait(network), all.wait(''));
      if (seconds > 0) return seconds;
      networks.take(network);
      all.take('');
      return null;
    },
    giveBack: (address) => {
      networks.giveBack(networkOf(address));
      all.giveBack('');
    },
  };
};
