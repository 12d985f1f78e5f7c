import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';

/**
 * Copies accepted in a UTC day (spec 8.3, design 3.16): one row for the institute, one for each key with a cap,
 * counted in the transaction that accepts the copy, so a refused request counts nothing.
 */

export const today = (now = new Date()): string => now.toISOString().slice(0, 10);

/** 00:00 UTC of the next day. */
export const nextReset = (day: string): string =>
  new Date(Date.parse(`${day}T00:00:00.000Z`) + 24 * 60 * 60 * 1000).toISOString();

export const copiesToday = async (tx: Tx, instituteId: string, day: string): Promise<number> => {
  const row = await tx
    .selectFrom('daily_copies')
    .select('copies')
    .where('institute_id', '=', instituteId)
    .where('counter_id', '=', instituteId)
    .where('day', '=', day)
    .executeTakeFirst();
  return row?.copies ?? 0;
};

export interface Allowance {
  quota: 'daily_copy_quota' | 'daily_copy_cap';
  counterId: string;
  limit: number;
}

/** Counts one copy against every allowance. @returns the first that is used up (the caller then rolls back), or null. */
export const countCopy = async (
  tx: Tx,
  instituteId: string,
  day: string,
  allowances: readonly Allowance[],
): Promise<Allowance | null> => {
  for (const allowance of allowances) {
    const counted =
      allowance.limit < 1
        ? undefined
        : await tx
            .insertInto('daily_copies')
            .values({ institute_id: instituteId, counter_id: allowance.counterId, day, copies: 1 })
            .onConflict((conflict) =>
              conflict
                .columns(['institute_id', 'counter_id', 'day'])
                .doUpdateSet({ copies: sql<number>`daily_copies.copies + 1` })
                .where('daily_copies.copies', '<', allowance.limit),
            )
            .returning('copies')
            .executeTakeFirst();
    if (counted === undefined) return allowance;
  }
  return null;
};
