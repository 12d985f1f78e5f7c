import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';

/** Prisma's own number for its migration lock, so that `prisma migrate deploy` and we exclude each other. */
const PRISMA_LOCK = 72707369;
/** Longer than this, DDL waiting for its lock would hold up everyone queueing behind it: step back and try again. */
export const LOCK_WAIT = '2s';
const LOOK_EVERY_MS = 250;

/**
 * Run `work` on one connection of its own, whose limits are those of a migration and not of a request.
 *
 * @param application shown in pg_stat_activity
 */
export async function withSession<T>(
  url: string,
  application: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    application_name: application,
    connectionTimeoutMillis: 10_000,
  });
  // A connection lost between two queries; the next query reports it to the caller.
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(`SET TIME ZONE 'UTC'`);
    // The service's role has short timeouts by default; building an index takes as long as it takes.
    await client.query(
      `SELECT set_config(name, '0', false) FROM pg_settings
       WHERE name IN ('statement_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout', 'lock_timeout')`,
    );
    // Else the server would run a dead process's migration to its end before it gives up the lock.
    await client.query(`SET client_connection_check_interval = '1s'`);
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * Wait for Prisma's migration lock, without limit: whoever holds it is migrating this database right now. The session
 * keeps it until it ends, so a process that dies gives it up. Asked for again and again: a statement that waits is a
 * transaction that an index built beside the traffic would wait for, and so both for each other.
 */
export async function takeMigrationLock(client: pg.Client): Promise<void> {
  const isMine = async (): Promise<boolean> => {
    const { rows } = await client.query<{ mine: boolean }>('SELECT pg_try_advisory_lock($1) AS mine', [
      PRISMA_LOCK,
    ]);
    return rows[0]?.mine === true;
  };
  while (!(await isMine())) await wait(LOOK_EVERY_MS);
  await client.query(`SET lock_timeout = '${LOCK_WAIT}'`);
}
