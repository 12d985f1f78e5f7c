import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import { exact, pricesOf, type Price } from '@evaluation/rules';

/** Credits of an institute, in exact decimals. */
interface CreditAccount {
  balance: ReturnType<typeof exact>;
  committed: ReturnType<typeof exact>;
  /** Credits that new submissions may use. Negative only if the credit limit was lowered below the amount in use. */
  available: ReturnType<typeof exact>;
  prices: Record<Price['unit'], Price>;
}

export const readAccount = async (tx: Tx, instituteId: string): Promise<CreditAccount> => {
  const row = await tx
    .selectFrom('credit_accounts')
    .innerJoin('institutes', 'institutes.id', 'credit_accounts.institute_id')
    .select(['balance', 'credit_limit', 'committed', 'credits_per_page', 'credits_per_answer'])
    .where('credit_accounts.institute_id', '=', instituteId)
    .executeTakeFirstOrThrow();
  return accountOf(row);
};

export const readSpending = async (
  tx: Tx,
  instituteId: string,
): Promise<CreditAccount & { spent: ReturnType<typeof exact> }> => {
  const { rows } = await sql<Parameters<typeof accountOf>[0] & { spent: string }>`
    select a.balance, a.credit_limit, a.committed, i.credits_per_page, i.credits_per_answer,
      -- A literal kind and the constant now() make the whole condition a range of the index credit_entries_charged.
      (select coalesce(sum(e.amount), 0) from credit_entries e
       where e.institute_id = ${instituteId} and e.kind = 'charge'
         and e.created_at >= now() - interval '30 days') as spent
    from credit_accounts a join institutes i on i.id = a.institute_id
    where a.institute_id = ${instituteId}`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error(`credit account of institute ${instituteId} is missing`);
  return { ...accountOf(row), spent: exact(row.spent) };
};

const accountOf = (row: {
  balance: string;
  credit_limit: string;
  committed: string;
  credits_per_page: string | null;
  credits_per_answer: string | null;
}): CreditAccount => {
  const balance = exact(row.balance);
  const committed = exact(row.committed);
  return {
    balance,
    committed,
    available: balance.plus(row.credit_limit).minus(committed),
    prices: pricesOf(row),
  };
};
