/*
 * How often core is asked for keys that this replica does not know: so many a minute for each client address, and so many
 * for all. Two token buckets: each begins full, a look-up takes one token from both, and tokens come back evenly.
 *
 * State: a bucket for each address that asked lately, and one for all; none outlives the process. A key that is found gives
 * its tokens back, so only keys that do not exist use them up.
 */

export interface LookUpLimits {
  /** @returns null when core may be asked; else in how many seconds */
  take(address: string): number | null;
  giveBack(address: string): void;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

const MAX_ADDRESSES = 10_000;
const MINUTE_MS = 60_000;

/** @param clock milliseconds that only go forward */
export const lookUpLimits = (
  perMinute: { address: number; all: number },
  clock: () => number = () => performance.now(),
): LookUpLimits => {
  const addresses = new Map<string, Bucket>();
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
    // The one that asked longest ago goes first: a Map keeps the order of insertion.
    addresses.delete(network);
    addresses.set(network, bucket);
    const [oldest] = addresses.keys();
    if (addresses.size > MAX_ADDRESSES && oldest !== undefined) addresses.delete(oldest);
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

/** An IPv4 address, or the /64 of an IPv6 address: a client has as many addresses of that as it likes. */
const networkOf = (address: string): string => {
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address;
  const [head = '', tail] = address.toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const last = tail === '' ? [] : tail.split(':');
    while (groups.length + last.length < 8) groups.push('0');
    groups.push(...last);
  }
  return groups.slice(0, 4).join(':');
};
