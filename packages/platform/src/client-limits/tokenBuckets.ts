import { LRUCache } from 'lru-cache';

/** Token buckets by key. A bucket begins full, and is refilled evenly. State, in memory only: the recent keys. */
interface TokenBuckets {
  /** Seconds until the key has a token; 0 if it has one. */
  wait(key: string): number;
  take(key: string): void;
  giveBack(key: string): void;
}

const MOST_KEYS = 10_000;
const MINUTE_MS = 60_000;

/** @param clock monotonic time in milliseconds */
export const tokenBuckets = (
  perMinute: number,
  clock: () => number = () => performance.now(),
): TokenBuckets => {
  const buckets = new LRUCache<string, { tokens: number; atMs: number }>({ max: MOST_KEYS });
  const bucketOf = (key: string) => {
    const now = clock();
    const bucket = buckets.get(key) ?? { tokens: perMinute, atMs: now };
    bucket.tokens = Math.min(perMinute, bucket.tokens + ((now - bucket.atMs) * perMinute) / MINUTE_MS);
    bucket.atMs = now;
    buckets.set(key, bucket);
    return bucket;
  };
  return {
    wait: (key) => {
      const { tokens } = bucketOf(key);
      return tokens >= 1 ? 0 : Math.ceil(((1 - tokens) * 60) / perMinute);
    },
    take: (key) => void (bucketOf(key).tokens -= 1),
    giveBack: (key) => {
      const bucket = bucketOf(key);
      bucket.tokens = Math.min(perMinute, bucket.tokens + 1);
    },
  };
};
