import type { RateLimit } from '@evaluation/settings';
import type { Demand } from './decision.ts';

export type Tier = 'standard' | 'high';

export interface Caller {
  keyId: string;
  instituteId: string;
  tier: Tier;
}

/**
 * What a request counts against: the windows of its key and those of its institute, by its kind.
 *
 * A tier belongs to a key, yet all keys of an institute share its windows: each request is held to its own tier's limit, and
 * counts whichever tier it has (docs/decisions/014). So a window of the institute that any tier limits counts every request.
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
