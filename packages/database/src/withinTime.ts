import { sql } from 'kysely';
import pg from 'pg';
import type { Tx } from './tenant.ts';

/** SQLSTATEs of failures that pass: lock timeout, statement timeout, deadlock, serialization failure. */
const PASSING = new Set(['55P03', '57014', '40P01', '40001']);

/**
 * Runs `work` under a savepoint with limits for each statement and lock wait. When `work` fails with a PASSING error,
 * its changes are undone and the outer transaction goes on.
 * @returns the result of `work`, or null after a PASSING failure
 * @throws any other error of `work`
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
    // The rollback also restores the limits.
    await sql.raw('rollback to within_time; release within_time').execute(tx);
    return null;
  }
};
