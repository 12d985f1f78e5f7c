import { sql } from 'kysely';
import { later, PREPARED, type Tx } from '@evaluation/database';

/**
 * Copies accepted in a UTC day (docs/architecture.md#daily-quota), counted for the institute and for each key in the
 * transaction that accepts the copy. A refused request rolls back its count.
 */

/** UTC day by the database's clock, which all replicas share. */
export const today = sql<string>`to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD')`;

export const nextReset = (day: string): string =>
  new Date(Date.parse(`${day}T00:00:00.000Z`) + 24 * 60 * 60 * 1000).toISOString();

export const copiesToday = async (tx: Tx, instituteId: string): Promise<{ day: string; copies: number }> => {
  const { rows } = await sql<{ day: string; copies: number }>`
    select day, coalesce((
      select copies from daily_copies d
      where d.institute_id = ${instituteId} and d.counter_id = ${instituteId} and d.day = now.day), 0) as copies
    from (select ${today} as day) now`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error('select of the UTC day returned no row');
  return row;
};

export interface Allowance {
  quota: 'daily_copy_quota' | 'daily_copy_cap';
  counterId: string;
  /** Null: counted without a limit, because a key may get a cap during the day. */
  limit: number | null;
}

type UsedUp = Pick<Allowance, 'quota'> & { limit: number };

/**
 * Counts a copy with the next statement of the transaction.
 * @returns a function to be called after that statement. It returns the first exceeded allowance, after which the
 *   caller must roll back, or null.
 */
export const countCopy = async (
  tx: Tx,
  instituteId: string,
  day: string,
  allowances: readonly Allowance[],
): Promise<() => UsedUp | null> => {
  const counts: (() => UsedUp | null)[] = [];
  for (const { quota, counterId, limit } of allowances) {
    const counted =
      limit !== null && limit < 1
        ? () => []
        : await later(
            tx,
            tx
              .insertInto('daily_copies')
              .values({ institute_id: instituteId, counter_id: counterId, day, copies: 1 })
              .onConflict((conflict) => {
                const oneMore = conflict
                  .columns(['institute_id', 'counter_id', 'day'])
                  .doUpdateSet({ copies: sql<number>`daily_copies.copies + 1` });
                return limit === null ? oneMore : oneMore.where('daily_copies.copies', '<', limit);
              })
              .returning('copies')
              .modifyEnd(PREPARED),
          );
    counts.push(() => (limit !== null && counted().length === 0 ? { quota, limit } : null));
  }
  return () => counts.map((usedUp) => usedUp()).find((usedUp) => usedUp !== null) ?? null;
};
