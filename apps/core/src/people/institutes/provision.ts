import { randomUUID } from 'node:crypto';
import * as z from 'zod/v4';
import { termsOf } from './manageKeys.ts';
import { MAX_PRICE } from '@evaluation/rules';
import { grantOnce } from '../../credits/grantOnce.ts';
import { grant } from '../../credits/ledger.ts';
import { countCredits } from '../../command/metrics.ts';
import type { Services } from '../../command/services.ts';
import { findInstitute } from './findInstitute.ts';

export const amount = z.number().gte(0).lte(1_000_000_000);
/** Credits for one page or answer. */
export const price = z.number().gte(0).lte(MAX_PRICE);
export const instituteName = z.string().min(1).max(255);
export const dailyCopyQuota = z.int().gte(0).lte(1_000_000_000);

export const InstituteCreate = z.object({
  name: instituteName,
  credits: amount,
  credit_limit: amount.default(0),
  credits_per_page: price.nullable().default(null),
  credits_per_answer: price.nullable().default(null),
  daily_copy_quota: dailyCopyQuota.default(2000),
  api_enabled: z.boolean().default(true),
});

/** The institute is inserted last, so that every visible institute has a credit account, also after a crash. */
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
  await countCredits(services, 'granted', input.credits);
  return { institute_id: id };
};

export const CreditGrant = z.object({
  institute_id: z.uuid(),
  amount: z.number().gt(0).lte(1_000_000_000),
  /** A repeated call with the same key and amount returns the first answer. Without a key each call grants. */
  idempotency_key: z.string().min(1).max(256).optional(),
});

/** @throws DomainFailure not_found, idempotency_key_reused, validation_failed */
export const grantCredits = async (
  services: Services,
  input: z.output<typeof CreditGrant>,
): Promise<{ institute_id: string; balance: number; idempotency_key: string | null }> => {
  const { institute_id: instituteId, amount: credits, idempotency_key: key = null } = input;
  await findInstitute(services, instituteId);
  const { granted, balance } = await services.database.inTenant(instituteId, (tx) =>
    grantOnce(tx, instituteId, { amount: credits, key }),
  );
  if (granted) await countCredits(services, 'granted', credits);
  return { institute_id: instituteId, balance, idempotency_key: key };
};

/** Shows an institute with its credits and the terms of its keys. @throws DomainFailure not_found */
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
    keys: institute.api_keys.map(termsOf),
    created_at: institute.created_at.toISOString(),
  };
};
