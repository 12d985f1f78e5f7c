import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';

/** Key of Prisma's own migration lock, so that `prisma migrate deploy` and this code exclude each other. */
const PRISMA_LOCK = 72707369;
/** DDL that waits for a lock blocks all later queries on the table, so it gives up after this time and retries. */
export const LOCK_WAIT = '2s';
const LOOK_EVERY_MS = 250;

/**
 * Runs `work` on its own connection, without the role's timeouts.
 *
 * @param application shown in pg_stat_activity
 */
export const withSession = async <T>(
  url: string,
  application: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> => {
  const client = new pg.Client({
    connectionString: url,
    application_name: application,
    connectionTimeoutMillis: 10_000,
  });
  // When the connection is lost between two queries, the next query reports it to the caller.
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query(`SET TIME ZONE 'UTC'`);
    // The service's role has short timeouts by default; building an index can take hours.
    await client.query(
      `SELECT set_config(name, '0', false) FROM pg_settings
       WHERE name IN ('statement_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout', 'lock_timeout')`,
    );
    // Without it the server would finish the statement of a dead process before it releases the lock.
    await client.query(`SET client_connection_check_interval = '1s'`);
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
};

/**
 * Takes Prisma's migration lock and waits without limit while another session migrates. PostgreSQL releases the lock
 * when the session ends, also after a crash. Polls with pg_try_advisory_lock: a blocking call would be an open
 * transaction, for which a concurrent index build in the other session waits (a deadlock).
 */
export const takeMigrationLock = async (client: pg.Client): Promise<void> => {
  const isMine = async (): Promise<boolean> => {
    const { rows } = await client.query<{ mine: boolean }>('SELECT pg_try_advisory_lock($1) AS mine', [
      PRISMA_LOCK,
    ]);
    return rows[0]?.mine === true;
  };
  while (!(await isMine())) await wait(LOOK_EVERY_MS);
  await client.query(`SET lock_timeout = '${LOCK_WAIT}'`);
};

export const inTransaction = async (client: pg.Client, work: () => Promise<void>): Promise<void> => {
  await client.query('BEGIN');
  try {
    await work();
    const { command } = await client.query('COMMIT');
    // PostgreSQL answers ROLLBACK when a statement of the transaction failed.
    if (command !== 'COMMIT') throw new Error('the transaction was not committed');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
};
