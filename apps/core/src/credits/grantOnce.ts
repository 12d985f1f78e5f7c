import type { Tx } from '@evaluation/database';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { exact, MAX_BALANCE } from '@evaluation/rules';
import { grant } from './ledger.ts';

/*
 * A grant with an idempotency key happens once for an institute. The key is stored beside the ledger and never expires.
 *
 *   key not known                    ──▶ the credits are granted and the key is stored, in one transaction
 *   key known, with the same amount  ──▶ no change; the first answer is returned
 *   key known, with another amount   ──▶ idempotency_key_reused
 *
 * The lock of the credit account makes concurrent grants wait for each other. A crash before the commit leaves neither
 * the credits nor the key; a repetition after the commit finds both.
 */

/**
 * Adds credits in the caller's transaction; without a key each call grants.
 * @returns whether this call granted, and the balance after the grant
 * @throws DomainFailure idempotency_key_reused, validation_failed if the balance would exceed MAX_BALANCE
 */
export const grantOnce = async (
  tx: Tx,
  instituteId: string,
  { amount, key }: { amount: number; key: string | null },
): Promise<{ granted: boolean; balance: number }> => {
  const account = await tx
    .selectFrom('credit_accounts')
    .select('balance')
    .where('institute_id', '=', instituteId)
    .forUpdate()
    .executeTakeFirstOrThrow();
  if (key !== null) {
    const known = await tx
      .selectFrom('credit_grant_keys')
      .select(['amount', 'balance_after'])
      .where('institute_id', '=', instituteId)
      .where('key', '=', key)
      .executeTakeFirst();
    if (known !== undefined) {
      if (!exact(known.amount).equals(amount)) {
        throw new DomainFailure('idempotency_key_reused', {
          message: `The idempotency key ${key} was used to grant ${Number(known.amount)} credits, so it cannot grant ${amount}. Use a new key for another grant.`,
        });
      }
      return { granted: false, balance: Number(known.balance_after) };
    }
  }
  const balance = exact(account.balance).plus(amount);
  if (balance.greaterThan(MAX_BALANCE)) {
    throw new DomainFailure('validation_failed', {
      message: `amount: the balance would be ${balance.toString()} credits, and at most ${MAX_BALANCE} can be kept.`,
    });
  }
  await grant(tx, instituteId, amount);
  if (key !== null) {
    await tx
      .insertInto('credit_grant_keys')
      .values({
        institute_id: instituteId,
        key,
        amount: String(amount),
        balance_after: balance.toString(),
      })
      .execute();
  }
  return { granted: true, balance: balance.toNumber() };
};
