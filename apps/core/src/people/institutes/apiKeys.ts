import { createHash, randomBytes } from 'node:crypto';
import type { Services } from '../../command/services.ts';
import { noteUse } from './lastUse.ts';

/** Hashes an API key. Only the hash is stored (docs/architecture.md#keys). */
export const hashOfKey = (apiKey: string): string => createHash('sha256').update(apiKey).digest('hex');

export const newApiKey = (prefix: string): string => `${prefix}${randomBytes(24).toString('hex')}`;

interface AuthenticatedKey {
  key_id: string;
  institute_id: string;
  scopes: string[];
  rate_tier: 'standard' | 'high';
  /** Expiry. The facade caches keys, so it compares this time on every request. */
  expires_at: string | null;
  api_enabled: boolean;
}

/** Looks up a key by its hash and records its use. @returns null if the key does not exist or is revoked */
export const authenticate = async (services: Services, hash: string): Promise<AuthenticatedKey | null> => {
  const key = await services.database.control.api_keys.findUnique({
    where: { hash },
    include: { institute: { select: { api_enabled: true } } },
  });
  if (key === null || key.revoked_at !== null) return null;
  const { api_enabled } = key.institute;
  const expired = key.expires_at !== null && key.expires_at.getTime() <= Date.now();
  if (!expired && api_enabled) noteUse(services, key.id, key.last_used_at);
  return {
    key_id: key.id,
    institute_id: key.institute_id,
    scopes: key.scopes,
    rate_tier: key.rate_tier,
    expires_at: key.expires_at?.toISOString() ?? null,
    api_enabled,
  };
};
