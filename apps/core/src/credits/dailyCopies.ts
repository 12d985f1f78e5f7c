import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';

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

/** Counts a copy for each allowance that is not used up, in their order. @returns the counters that counted it */
export const countCopy = (instituteId: string, { day, allowances }: Counted) => {
  const counters = sql`unnest(${allowances.map(({ counterId }) => counterId)}::uuid[],
    ${allowances.map(({ limit }) => limit)}::int[])`;
  return sql<{ counter_id: string }>`
    insert into daily_copies (institute_id, counter_id, day, copies)
    select ${instituteId}::uuid, a.counter_id, ${day}, 1
    from ${counters} with ordinality as a (counter_id, most, at)
    where a.most is null or a.most > 0
    order by a.at
    on conflict (institute_id, counter_id, day) do update set copies = daily_copies.copies + 1
    where daily_copies.copies < coalesce(
      (select a.most from ${counters} as a (counter_id, most) where a.counter_id = daily_copies.counter_id), 2147483647)
    returning counter_id`;
};

interface Counted {
  day: string;
  allowances: readonly Allowance[];
}

/**
 * @param counted rows of `countCopy`
 * @returns the first exceeded allowance, after which the caller must roll back, or null
 */
export const exceededOf = (
  allowances: readonly Allowance[],
  counted: readonly { counter_id: string }[],
): UsedUp | null =>
  allowances
    .flatMap(({ quota, counterId, limit }) => (limit === null ? [] : [{ quota, counterId, limit }]))
    .find(({ counterId }) => !counted.some(({ counter_id }) => counter_id === counterId)) ?? null;
