import { networkOf } from '@evaluation/platform/client-limits';
import { LRUCache } from 'lru-cache';

/*
 * Limits look-ups in core of keys that this replica does not know, per client address and in total. Two token buckets:
 * each begins full, a look-up takes one token from both, and tokens are refilled evenly.
 *
 * State, in memory only: a bucket for each recent address and one for all. A look-up that finds a key returns its
 * tokens, so only unknown keys use up the limit.
 */

export interface LookUpLimits {
  /** @returns null when the look-up is allowed; otherwise the seconds to wait */
  take(address: string): number | null;
  giveBack(address: string): void;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

const MAX_ADDRESSES = 10_000;
const MINUTE_MS = 60_000;

/** @param clock monotonic time in milliseconds */
export const lookUpLimits = (
  perMinute: { address: number; all: number },
  clock: () => number = () => performance.now(),
): LookUpLimits => {
  const addresses = new LRUCache<string, Bucket>({ max: MAX_ADDRESSES });
  const all: Bucket = { tokens: perMinute.all, atMs: clock() };

  const refill = (bucket: Bucket, limit: number): Bucket => {
    const now = clock();
    bucket.tokens = Math.min(limit, bucket.tokens + ((now - bucket.atMs) * limit) / MINUTE_MS);
    bucket.atMs = now;
    return bucket;
  };
  const bucketOf = (address: string): Bucket => {
    const network = networkOf(address);
    const bucket = addresses.get(network) ?? { tokens: perMinute.address, atMs: clock() };
    addresses.set(network, bucket);
    return refill(bucket, perMinute.address);
  };
  const secondsUntil = ({ tokens }: Bucket, limit: number): number =>
    tokens >= 1 ? 0 : Math.ceil(((1 - tokens) * 60) / limit);

  return {
    take: (address) => {
      const own = bucketOf(address);
      refill(all, perMinute.all);
      const seconds = Math.max(secondsUntil(own, perMinute.address), secondsUntil(all, perMinute.all));
      if (seconds > 0) return seconds;
      own.tokens -= 1;
      all.tokens -= 1;
      return null;
    },
    giveBack: (address) => {
      const own = bucketOf(address);
      own.tokens = Math.min(perMinute.address, own.tokens + 1);
      all.tokens = Math.min(perMinute.all, all.tokens + 1);
    },
  };
};
