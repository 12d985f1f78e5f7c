import { sql } from 'kysely';
import { send, type Tx } from '@evaluation/database';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { exact } from '@evaluation/rules';
import type { RunKey } from '../command/runKey.ts';

/**
 * Credits of an institute: one account row, changed only by conditional updates, and an append-only entry for each
 * change in the same transaction (docs/architecture.md#credits). Each run reserves once and is then charged once or
 * released once; unique indexes on `credit_entries` enforce this. Credits are the last lock of a transaction.
 */

type Change = { kind: 'grant' | 'reserve' | 'charge' | 'release'; amount: number; runId: string | null };

/** @throws DomainFailure insufficient_credits */
export const reserve = async (tx: Tx, run: RunKey, amount: number): Promise<void> => {
  if (amount === 0) return;
  const changed = await change(tx, run.institute_id, { kind: 'reserve', amount, runId: run.run_id });
  if (!changed) throw await insufficientCredits(tx, run.institute_id, amount);
};

export const insufficientCredits = async (
  tx: Tx,
  instituteId: string,
  amount: number,
): Promise<DomainFailure> => {
  const account = await tx
    .selectFrom('credit_accounts')
    .selectAll()
    .where('institute_id', '=', instituteId)
    .executeTakeFirst();
  const balance = exact(account?.balance ?? 0);
  const limit = exact(account?.credit_limit ?? 0);
  const committed = exact(account?.committed ?? 0);
  return new DomainFailure('insufficient_credits', {
    details: {
      required: amount,
      available: balance.plus(limit).minus(committed).toNumber(),
      balance: balance.toNumber(),
      credit_limit: limit.toNumber(),
      committed: committed.toNumber(),
    },
  });
};

export const charge = async (tx: Tx, run: RunKey, amount: number): Promise<void> => {
  await endReservation(tx, run.institute_id, { kind: 'charge', amount, runId: run.run_id });
};

export const release = async (tx: Tx, run: RunKey, amount: number): Promise<void> => {
  await endReservation(tx, run.institute_id, { kind: 'release', amount, runId: run.run_id });
};

export const grant = async (tx: Tx, instituteId: string, amount: number): Promise<void> => {
  await change(tx, instituteId, { kind: 'grant', amount, runId: null });
};

const endReservation = async (tx: Tx, instituteId: string, end: Change): Promise<void> => {
  if (end.amount === 0) return;
  if (!(await change(tx, instituteId, end))) {
    throw new Error(`credit account of institute ${instituteId} is missing`);
  }
};

const CHANGES = {
  grant: { balance: 1, committed: 0 },
  reserve: { balance: 0, committed: 1 },
  charge: { balance: -1, committed: -1 },
  release: { balance: 0, committed: -1 },
} as const;

/** @returns false, without a change, if a reservation exceeds the available credits or the account is missing */
const change = async (tx: Tx, instituteId: string, { kind, amount, runId }: Change): Promise<boolean> => {
  const by = CHANGES[kind];
  const [entries] = await send(
    tx,
    sql`
    with changed as (
      update credit_accounts
      set balance = balance + ${amount}::numeric * ${by.balance}::int,
          committed = committed + ${amount}::numeric * ${by.committed}::int
      where institute_id = ${instituteId}
        and (${kind} <> 'reserve' or balance + credit_limit - committed >= ${amount}::numeric)
      returning balance, committed
    )
    insert into credit_entries (institute_id, kind, amount, run_id, balance_after, committed_after)
    select ${instituteId}::uuid, ${kind}::"CreditEntryKind", ${amount}::numeric, ${runId}::uuid, balance, committed
    from changed
    returning id`,
  );
  return entries.length === 1;
};
