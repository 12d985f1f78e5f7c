import type { Tx } from '@evaluation/database';
import type { Actor } from '@evaluation/platform/signed-actor';
import { givenTime, Scope } from '@evaluation/rest-contract/schemas';
import * as z from 'zod/v4';
import { audit, changesBetween, isOperator, operatorActor } from '../../command/audit.ts';
import { newId } from '../../command/newId.ts';
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
  actor: Actor,
  input: Omit<z.output<typeof KeyCreate>, 'institute_id'>,
): Promise<{ key_id: string; api_key: string }> => {
  const { institute_id } = actor;
  await findInstitute(services, institute_id);
  const apiKey = newApiKey(services.settings.apiKeyPrefix);
  const id = newId();
  const terms = { ...input, scopes: [...new Set(input.scopes)] };
  await services.database.inTenant(institute_id, async (tx) => {
    await tx
      .insertInto('api_keys')
      .values({
        id,
        institute_id,
        hash: hashOfKey(apiKey),
        last_four: apiKey.slice(-4),
        ...terms,
        made_by: isOperator(actor) ? null : actor.key_id,
      })
      .execute();
    await audit(tx, actor, [{ action: 'key_create', subject_id: id, after: terms }]);
  });
  return { key_id: id, api_key: apiKey };
};

/** Absent fields keep their value; null removes the cap or the expiry. */
export const KeyEdit = z.object({
  key_id: z.uuid(),
  scopes: scopes.optional(),
  rate_tier: rateTier.optional(),
  daily_copy_cap: dailyCopyCap.optional(),
  expires_at: expiresAt.optional(),
});

/** Edits a key of the actor's institute. @throws DomainFailure not_found; conflict for a revoked key, which stays so */
export const editKey = async (
  services: Services,
  actor: Actor,
  { key_id: id, ...sent }: z.output<typeof KeyEdit>,
): Promise<KeyTerms> => {
  const terms = {
    ...Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined)),
    ...(sent.scopes === undefined ? {} : { scopes: [...new Set(sent.scopes)] }),
  };
  const key = await services.database.inTenant(actor.institute_id, async (tx) => {
    const stored = await lockKey(tx, actor, id);
    if (stored.revoked_at !== null) throw failure('key_revoked');
    if (Object.keys(terms).length === 0) return stored;
    const edited = await tx
      .updateTable('api_keys')
      .set(terms)
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    const changes = changesBetween(editableTerms(stored), editableTerms(edited));
    if (Object.keys(changes.after).length > 0) {
      await audit(tx, actor, [{ action: 'key_edit', subject_id: id, ...changes }]);
    }
    return edited;
  });
  await broadcastKeyChange(services, { institute_id: actor.institute_id, key_id: id });
  return termsOf(key);
};

/**
 * Revokes a key of the actor's institute: at once where the broadcast arrives, elsewhere within 30 seconds, when cache
 * entries expire. A repeated call returns the time of the first revocation.
 * @throws DomainFailure not_found
 */
export const revokeKey = async (
  services: Services,
  actor: Actor,
  id: string,
): Promise<{ key_id: string; revoked_at: string }> => {
  const revokedAt = await services.database.inTenant(actor.institute_id, async (tx) => {
    const stored = await lockKey(tx, actor, id);
    if (stored.revoked_at !== null) return stored.revoked_at;
    const now = new Date();
    await tx.updateTable('api_keys').set({ revoked_at: now }).where('id', '=', id).execute();
    await audit(tx, actor, [{ action: 'key_revoke', subject_id: id }]);
    return now;
  });
  await broadcastKeyChange(services, { institute_id: actor.institute_id, key_id: id });
  return { key_id: id, revoked_at: revokedAt.toISOString() };
};

/** The operator, for the institute of a key. @throws DomainFailure not_found */
export const operatorOfKey = async ({ database }: Services, keyId: string): Promise<Actor> => {
  const key = await database.control.api_keys.findUnique({ where: { id: keyId } });
  if (key === null) throw failure('no_such_key');
  return operatorActor(key.institute_id);
};

const lockKey = async (tx: Tx, actor: Actor, id: string) => {
  const stored = await tx
    .selectFrom('api_keys')
    .selectAll()
    .where('id', '=', id)
    .where('institute_id', '=', actor.institute_id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (stored === undefined) throw failure('no_such_key');
  return stored;
};

type KeyRow = Awaited<ReturnType<typeof lockKey>>;

const editableTerms = ({ scopes: granted, rate_tier, daily_copy_cap, expires_at }: KeyRow) => ({
  scopes: granted,
  rate_tier,
  daily_copy_cap,
  expires_at,
});

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
  /** Member of staff who made the key; null for the operator. */
  made_by: string | null;
  created_at: string;
}

export const termsOf = (key: KeyRow): KeyTerms => ({
  key_id: key.id,
  last_four: key.last_four,
  scopes: key.scopes,
  rate_tier: key.rate_tier,
  daily_copy_cap: key.daily_copy_cap,
  expires_at: key.expires_at?.toISOString() ?? null,
  revoked_at: key.revoked_at?.toISOString() ?? null,
  last_used_at: key.last_used_at?.toISOString() ?? null,
  made_by: key.made_by,
  created_at: key.created_at.toISOString(),
});
