import { randomUUID } from 'node:crypto';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { Scope } from '@evaluation/rest-contract/schemas';
import * as z from 'zod/v4';
import { hashOfKey, newApiKey } from '../account/apiKeys.ts';
import { grant } from '../credits/ledger.ts';
import type { Services } from '../services.ts';

/** What the provisioning CLI does (design chapter 6): institutes, their keys, their credits. */

const amount = z.number().gte(0).lte(1_000_000_000);

export const InstituteCreate = z.object({
  name: z.string().min(1).max(255),
  credits: amount,
  credit_limit: amount.default(0),
  credits_per_page: amount.nullable().default(null),
  credits_per_answer: amount.nullable().default(null),
  daily_copy_quota: z.int().gte(0).lte(1_000_000_000).default(2000),
  api_enabled: z.boolean().default(true),
});

/**
 * The institute is written last: whoever sees it finds its credit account. A crash in between leaves an account that
 * nothing refers to.
 */
export const createInstitute = async (
  services: Services,
  input: z.output<typeof InstituteCreate>,
): Promise<{ institute_id: string }> => {
  const id = randomUUID();
  await services.database.inTenant(id, async (tx) => {
    await tx
      .insertInto('credit_accounts')
      .values({ institute_id: id, credit_limit: String(input.credit_limit) })
      .execute();
    if (input.credits > 0) await grant(tx, id, input.credits);
  });
  await services.database.control.institutes.create({
    data: {
      id,
      name: input.name,
      api_enabled: input.api_enabled,
      credits_per_page: input.credits_per_page,
      credits_per_answer: input.credits_per_answer,
      daily_copy_quota: input.daily_copy_quota,
    },
  });
  return { institute_id: id };
};

export const KeyCreate = z.object({
  institute_id: z.uuid(),
  scopes: z.array(Scope).default(['evaluation:read', 'evaluation:write']),
  rate_tier: z.enum(['standard', 'high']).default('standard'),
  daily_copy_cap: z.int().gte(0).lte(1_000_000_000).nullable().default(null),
  expires_at: z.iso.datetime().nullable().default(null),
});

/** The key is shown here and never again. @throws DomainFailure not_found */
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

/** Takes effect within a minute: as soon as no facade has the key in its cache. @throws DomainFailure not_found */
export const revokeKey = async (
  services: Services,
  keyId: string,
): Promise<{ key_id: string; revoked_at: string }> => {
  const { control } = services.database;
  await control.api_keys.updateMany({
    where: { id: keyId, revoked_at: null },
    data: { revoked_at: new Date() },
  });
  const key = await control.api_keys.findUnique({ where: { id: keyId } });
  if (key?.revoked_at == null) throw new DomainFailure('not_found', { message: 'There is no such key.' });
  return { key_id: key.id, revoked_at: key.revoked_at.toISOString() };
};

/** @throws DomainFailure not_found */
export const grantCredits = async (
  services: Services,
  input: { institute_id: string; amount: number },
): Promise<{ institute_id: string; balance: number }> => {
  await findInstitute(services, input.institute_id);
  const account = await services.database.inTenant(input.institute_id, async (tx) => {
    await grant(tx, input.institute_id, input.amount);
    return tx
      .selectFrom('credit_accounts')
      .select('balance')
      .where('institute_id', '=', input.institute_id)
      .executeTakeFirstOrThrow();
  });
  return { institute_id: input.institute_id, balance: Number(account.balance) };
};

/** An institute with its keys (never the keys themselves) and credits. @throws DomainFailure not_found */
export const showInstitute = async (services: Services, instituteId: string) => {
  const institute = await findInstitute(services, instituteId);
  const account = await services.database.inTenant(instituteId, (tx) =>
    tx
      .selectFrom('credit_accounts')
      .selectAll()
      .where('institute_id', '=', instituteId)
      .executeTakeFirstOrThrow(),
  );
  return {
    institute_id: institute.id,
    name: institute.name,
    api_enabled: institute.api_enabled,
    credits_per_page: institute.credits_per_page?.toNumber() ?? null,
    credits_per_answer: institute.credits_per_answer?.toNumber() ?? null,
    daily_copy_quota: institute.daily_copy_quota,
    credits: {
      balance: Number(account.balance),
      credit_limit: Number(account.credit_limit),
      committed: Number(account.committed),
    },
    keys: institute.api_keys.map((key) => ({
      key_id: key.id,
      last_four: key.last_four,
      scopes: key.scopes,
      rate_tier: key.rate_tier,
      daily_copy_cap: key.daily_copy_cap,
      expires_at: key.expires_at?.toISOString() ?? null,
      revoked_at: key.revoked_at?.toISOString() ?? null,
      created_at: key.created_at.toISOString(),
    })),
    created_at: institute.created_at.toISOString(),
  };
};

const findInstitute = async (services: Services, instituteId: string) => {
  const institute = await services.database.control.institutes.findUnique({
    where: { id: instituteId },
    include: { api_keys: { orderBy: { created_at: 'asc' } } },
  });
  if (institute === null) throw new DomainFailure('not_found', { message: 'There is no such institute.' });
  return institute;
};
