import type { RateLimit } from '@evaluation/platform/settings';
import type { Demand } from './decision.ts';

type Tier = 'standard' | 'high';

export interface Caller {
  keyId: string;
  instituteId: string;
  tier: Tier;
}

/**
 * Returns the windows in which a request counts: those of its key and of its institute, for its kind.
 *
 * A tier belongs to a key, but all keys of an institute share the windows of the institute. Each request is limited by
 * its own tier and counts regardless of its tier (docs/api/limits.md#rate-limits). So if any tier limits a window of
 * the institute, every request of the institute counts in it.
 */
export const demandsOf = (
  limits: Readonly<Record<Tier, readonly RateLimit[]>>,
): ((caller: Caller, kind: RateLimit['kind'], cost: number) => Demand[]) => {
  const cells = (tier: Tier, kind: RateLimit['kind']) => {
    const own = limits[tier].filter((one) => one.kind === kind);
    const others = [...limits.standard, ...limits.high].filter(
      (one) => one.kind === kind && one.of === 'institute' && !own.some((mine) => isSameWindow(mine, one)),
    );
    return [
      ...own,
      ...others
        .filter((one, at) => others.findIndex((first) => isSameWindow(first, one)) === at)
        .map((one) => ({ ...one, limit: null })),
    ];
  };
  const ofTier = (tier: Tier) => ({
    reads: cells(tier, 'reads'),
    writes: cells(tier, 'writes'),
    upload_files: cells(tier, 'upload_files'),
  });
  const table = { standard: ofTier('standard'), high: ofTier('high') };
  return ({ keyId, instituteId, tier }, kind, cost) =>
    table[tier][kind].map(({ of, seconds, limit }) => ({
      subject: `${of}:${of === 'key' ? keyId : instituteId}:${kind}`,
      seconds,
      limit,
      cost,
    }));
};

const isSameWindow = (a: RateLimit, b: RateLimit): boolean => a.of === b.of && a.seconds === b.seconds;
