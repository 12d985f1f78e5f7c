import { randomUUID } from 'node:crypto';
import { givenTime, Scope } from '@evaluation/rest-contract/schemas';
import * as z from 'zod/v4';
import { failure } from '../../command/failures.ts';
import { findInstitute } from './findInstitute.ts';
import type { Services } from '../../command/services.ts';
import { hashOfKey, newApiKey } from './apiKeys.ts';
import { broadcastKeyChange } from './broadcastKeyChange.ts';

const scopes = z.array(Scope);
const rateTier = z.enum(['standard', 'high']);
const dailyCopyCap = z.int().gte(0).lte(1_000_000_000).nullable();
const expiresAt = givenTime.nullable();

export const KeyCreate = z.object({
  institute_id: z.uuid(),
  scopes: scopes.default(['evaluation:read', 'evaluation:write']),
  rate_tier: rateTier.default('standard'),
  daily_copy_cap: dailyCopyCap.default(null),
  expires_at: expiresAt.default(null),
});

/** Creates a key. Only this answer contains the key itself. @throws DomainFailure not_found */
export const createKey = async (
  services: Services,
  input: z.output<typeof KeyCreate>,
): Promise<{ key_id: string; api_key: string }> => {
  await findInstitute(services, input.institute_id);
  const apiKey = newApiKey(services.settings.apiKeyPrefix);
  const key = await services.database.control.api_keys.create({
    data: {
      id: randomUUID(),
      institute_id: input.institute_id,
      hash: hashOfKey(apiKey),
      last_four: apiKey.slice(-4),
      scopes: [...new Set(input.scopes)],
      rate_tier: input.rate_tier,
      daily_copy_cap: input.daily_copy_cap,
      expires_at: input.expires_at,
    },
  });
  return { key_id: key.id, api_key: apiKey };
};

/** Absent fields keep their value; null removes the cap or the expiry. */
export const KeyEdit = z.object({
  key_id: z.uuid(),
  scopes: scopes.optional(),
  rate_tier: rateTier.optional(),
  daily_copy_cap: dailyCopyCap.optional(),
  expires_at: expiresAt.optional(),
});

/**
 * @param instituteId refuses keys of other institutes; absent for the operator
 * @throws DomainFailure not_found; conflict for a revoked key, which cannot be restored
 */
export const editKey = async (
  services: Services,
  input: z.output<typeof KeyEdit>,
  instituteId?: string,
): Promise<KeyTerms> => {
  const { key_id: id, scopes: changed, ...terms } = input;
  const { control } = services.database;
  const owned = instituteId === undefined ? {} : { institute_id: instituteId };
  await control.api_keys.updateMany({
    where: { id, ...owned, revoked_at: null },
    data: { ...given(terms), ...(changed === undefined ? {} : { scopes: [...new Set(changed)] }) },
  });
  const key = await control.api_keys.findUnique({ where: { id, ...owned } });
  if (key === null) throw failure('no_such_key');
  if (key.revoked_at !== null) throw failure('key_revoked');
  await broadcastKeyChange(services, { institute_id: key.institute_id, key_id: id });
  return termsOf(key);
};

/**
 * Revokes a key: at once where the broadcast arrives, elsewhere within 30 seconds, when cache entries expire. A
 * repeated call returns the time of the first revocation.
 * @param instituteId refuses keys of other institutes; absent for the operator
 * @throws DomainFailure not_found
 */
export const revokeKey = async (
  services: Services,
  keyId: string,
  instituteId?: string,
): Promise<{ key_id: string; revoked_at: string }> => {
  const { control } = services.database;
  const owned = instituteId === undefined ? {} : { institute_id: instituteId };
  await control.api_keys.updateMany({
    where: { id: keyId, ...owned, revoked_at: null },
    data: { revoked_at: new Date() },
  });
  const key = await control.api_keys.findUnique({ where: { id: keyId, ...owned } });
  if (key?.revoked_at == null) throw failure('no_such_key');
  await broadcastKeyChange(services, { institute_id: key.institute_id, key_id: keyId });
  return { key_id: key.id, revoked_at: key.revoked_at.toISOString() };
};

export interface KeyTerms {
  key_id: string;
  last_four: string;
  scopes: string[];
  rate_tier: 'standard' | 'high';
  daily_copy_cap: number | null;
  expires_at: string | null;
  revoked_at: string | null;
  /** Precise to five minutes; null if the key was never used. */
  last_used_at: string | null;
  created_at: string;
}

export const termsOf = (key: {
  id: string;
  last_four: string;
  scopes: string[];
  rate_tier: 'standard' | 'high';
  daily_copy_cap: number | null;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
  created_at: Date;
}): KeyTerms => ({
  key_id: key.id,
  last_four: key.last_four,
  scopes: key.scopes,
  rate_tier: key.rate_tier,
  daily_copy_cap: key.daily_copy_cap,
  expires_at: key.expires_at?.toISOString() ?? null,
  revoked_at: key.revoked_at?.toISOString() ?? null,
  last_used_at: key.last_used_at?.toISOString() ?? null,
  created_at: key.created_at.toISOString(),
});

const given = ({
  rate_tier,
  daily_copy_cap,
  expires_at,
}: Pick<z.output<typeof KeyEdit>, 'rate_tier' | 'daily_copy_cap' | 'expires_at'>) => ({
  ...(rate_tier === undefined ? {} : { rate_tier }),
  ...(daily_copy_cap === undefined ? {} : { daily_copy_cap }),
  ...(expires_at === undefined ? {} : { expires_at }),
});
