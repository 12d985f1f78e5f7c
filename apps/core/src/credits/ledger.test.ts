import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { Decimal } from 'decimal.js';
import { afterAll, expect, test } from 'vitest';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { openTestDatabase } from '@evaluation/test-services';
import { charge, grant, release, reserve } from './ledger.ts';

const { database, close } = await openTestDatabase(8);
afterAll(close);

const newAccount = async (balance: number, creditLimit = 0): Promise<string> => {
  const id = randomUUID();
  await database.inTenant(id, async (tx) => {
    await tx
      .insertInto('credit_accounts')
      .values({ institute_id: id, credit_limit: String(creditLimit) })
      .execute();
    if (balance > 0) await grant(tx, id, balance);
  });
  return id;
};
const accountOf = (id: string) =>
  database.inTenant(id, (tx) => tx.selectFrom('credit_accounts').selectAll().executeTakeFirstOrThrow());

/** Sums of the ledger, computed independently of the account. */
const recount = async (id: string) => {
  const entries = await database.inTenant(id, (tx) =>
    tx.selectFrom('credit_entries').selectAll().orderBy('id').execute(),
  );
  const sum = (...kinds: string[]) =>
    entries
      .filter(({ kind }) => kinds.includes(kind))
      .reduce((total, { amount }) => total.plus(amount), new Decimal(0));
  return {
    balance: sum('grant').minus(sum('charge')),
    committed: sum('reserve').minus(sum('charge', 'release')),
    last: entries.at(-1),
  };
};

test('ledger and account agree after operations in any order, and no credit is spent twice', async () => {
  const cents = (max: number) => fc.integer({ min: 1, max }).map((value) => value / 100);
  const step = fc.oneof(
    fc.record({ kind: fc.constant('reserve' as const), amount: cents(2000) }),
    fc.record({ kind: fc.constantFrom('charge' as const, 'release' as const), amount: fc.nat(20) }),
    fc.record({ kind: fc.constant('grant' as const), amount: cents(1000) }),
  );
  await fc.assert(
    fc.asyncProperty(
      cents(3000),
      cents(500),
      fc.array(step, { maxLength: 12 }),
      async (balance, limit, steps) => {
        const id = await newAccount(balance, limit);
        const open: { runId: string; amount: number }[] = [];
        for (const { kind, amount } of steps) {
          if (kind === 'reserve') {
            const runId = randomUUID();
            const before = await accountOf(id);
            const available = new Decimal(before.balance).plus(before.credit_limit).minus(before.committed);
            const accepted = await database
              .inTenant(id, (tx) => reserve(tx, { institute_id: id, run_id: runId }, amount))
              .then(
                () => true,
                (error: unknown) => {
                  if (error instanceof DomainFailure && error.failure.code === 'insufficient_credits')
                    return false;
                  throw error;
                },
              );
            expect(accepted).toBe(available.gte(amount));
            if (accepted) open.push({ runId, amount });
          } else if (kind === 'grant') {
            await database.inTenant(id, (tx) => grant(tx, id, amount));
          } else {
            const run = open.splice(amount % Math.max(1, open.length), 1)[0];
            if (run === undefined) continue;
            const settle = kind === 'charge' ? charge : release;
            await database.inTenant(id, (tx) =>
              settle(tx, { institute_id: id, run_id: run.runId }, run.amount),
            );
            // A second settlement of a run rolls back its whole transaction.
            await expect(
              database.inTenant(id, (tx) => release(tx, { institute_id: id, run_id: run.runId }, run.amount)),
            ).rejects.toThrow();
          }
          const account = await accountOf(id);
          const ledger = await recount(id);
          expect(new Decimal(account.balance).equals(ledger.balance)).toBe(true);
          expect(new Decimal(account.committed).equals(ledger.committed)).toBe(true);
          expect(ledger.last?.balance_after).toBe(account.balance);
          expect(new Decimal(account.balance).plus(account.credit_limit).gte(account.committed)).toBe(true);
        }
      },
    ),
    { numRuns: 40 },
  );
});

test('of concurrent reservations exactly as many succeed as there are credits', async () => {
  const id = await newAccount(5);
  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, () =>
      database.inTenant(id, (tx) => reserve(tx, { institute_id: id, run_id: randomUUID() }, 1)),
    ),
  );
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  expect(Number((await accountOf(id)).committed)).toBe(5);
});

test('a refused reservation reports required and available credits', async () => {
  const id = await newAccount(3, 1);
  await database.inTenant(id, (tx) => reserve(tx, { institute_id: id, run_id: randomUUID() }, 2));
  const refused = database.inTenant(id, (tx) => reserve(tx, { institute_id: id, run_id: randomUUID() }, 2.5));
  await expect(refused).rejects.toMatchObject({
    failure: {
      code: 'insufficient_credits',
      details: { required: 2.5, available: 2, balance: 3, credit_limit: 1, committed: 2 },
    },
  });
});
