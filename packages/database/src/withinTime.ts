import { sql } from 'kysely';
import pg from 'pg';
import type { Tx } from './tenant.ts';

/** Failures that go away by themselves: lock and statement timeouts, deadlocks, serialization failures. */
const PASSING = new Set(['55P03', '57014', '40P01', '40001']);

/**
 * Work that must not hold up or break its transaction: under a savepoint, with a limit of its own for each statement
 * and each wait for a lock. What it did before it failed for a passing reason is undone, and the transaction goes on.
 * @returns what the work answers, or null when it failed for a passing reason
 */
export const withinTime = async <T>(
  tx: Tx,
  milliseconds: number,
  work: (tx: Tx) => Promise<T>,
): Promise<{ value: T } | null> => {
  const limit = Math.max(1, Math.ceil(milliseconds));
  // Several statements in one round trip, which a query without parameters may hold.
  await sql
    .raw(`savepoint within_time; set local lock_timeout = ${limit}; set local statement_timeout = ${limit}`)
    .execute(tx);
  try {
    const value = await work(tx);
    await sql
      .raw('release within_time; set local lock_timeout to default; set local statement_timeout to default')
      .execute(tx);
    return { value };
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || !PASSING.has(error.code ?? '')) throw error;
    // Takes the limits back too.
    await sql.raw('rollback to within_time; release within_time').execute(tx);
    return null;
  }
};
