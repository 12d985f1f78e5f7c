import { PrismaPg } from '@prisma/adapter-pg';
import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import pg from 'pg';
import type { Logger } from '@evaluation/telemetry';
import { PrismaClient } from '../generated/client/client.ts';
import type { DB } from '../generated/kysely/types.ts';

/** A transaction that sees the rows of one institute. */
export type Tx = Transaction<DB>;

export interface Database {
  /**
   * Runs a command or a query of one institute in one transaction (READ COMMITTED): row-level security shows it the
   * rows of that institute only. Deadlocks and serialization failures run `work` again from its start, so it must do
   * nothing but talk to the transaction (design 3.1, 3.2).
   */
  inTenant<T>(instituteId: string, work: (tx: Tx) => Promise<T>): Promise<T>;
  /** For what core does for all of them: sees the tables with a policy of that name (runs, uploads and some more), and no other tenant table. */
  acrossInstitutes<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** The control plane: institutes and keys. */
  control: PrismaClient;
  /** Resolves when the database answers. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  url: string;
  poolSize: number;
  log: Logger;
}

const MAX_TRIES = 5;
/** Serialization failure and deadlock: the whole command may run again. */
const RETRYABLE = new Set(['40001', '40P01']);

/** The feed's overlap of 2 minutes is enough only while no transaction lives longer than this (design 3.6). */
const TRANSACTION_TIMEOUT_MS = 30_000;
/** Well before that: whoever waits for one exam must not hold connections that other institutes need. */
const LOCK_TIMEOUT_MS = 8000;

/**
 * Opens the pool that both planes share.
 * @throws Error when the role could see past row-level security: no superuser, no BYPASSRLS.
 */
export const openDatabase = async (options: DatabaseOptions): Promise<Database> => {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: 10_000,
    options: `-c transaction_timeout=${TRANSACTION_TIMEOUT_MS} -c lock_timeout=${LOCK_TIMEOUT_MS}`,
  });
  // A connection that breaks fails its statement and is replaced by the pool. It also emits an error, idle or in use,
  // which without a listener would end the process.
  const onBroken = (error: Error) => options.log.warn({ err: error }, 'a database connection broke');
  pool.on('error', onBroken);
  pool.on('connect', (client) => client.on('error', onBroken));

  try {
    await refuseMightyRole(pool);
  } catch (error) {
    await pool.end();
    throw error;
  }

  const kysely = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) });
  const control = new PrismaClient({ adapter: new PrismaPg(pool) });

  const transaction = async <T>(
    setting: 'app.institute' | 'app.across_institutes',
    value: string,
    work: (tx: Tx) => Promise<T>,
  ) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await kysely.transaction().execute(async (tx) => {
          await sql`select set_config(${setting}, ${value}, true)`.execute(tx);
          return work(tx);
        });
      } catch (error) {
        if (attempt === MAX_TRIES || !(error instanceof pg.DatabaseError) || !RETRYABLE.has(error.code ?? ''))
          throw error;
        await pause(2 ** attempt * 5 * Math.random());
      }
    }
  };

  return {
    inTenant: (instituteId, work) => transaction('app.institute', instituteId, work),
    acrossInstitutes: (work) =>
      transaction('app.across_institutes', 'on', async (tx) => {
        // Row-level security hides how rare a status is from the planner, which then would rather read the whole
        // table, each second, or all that waits, than step along the partial indexes that hold just what is looked for.
        await sql`select set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true)`.execute(
          tx,
        );
        return work(tx);
      }),
    control,
    ping: async () => {
      await pool.query('select 1');
    },
    close: async () => {
      await control.$disconnect();
      if (!pool.ended) await pool.end();
    },
  };
};

const refuseMightyRole = async (pool: pg.Pool): Promise<void> => {
  const { rows } = await pool.query<{ mighty: boolean }>(
    'select rolsuper or rolbypassrls as mighty from pg_roles where rolname = current_user',
  );
  if (rows[0]?.mighty === true) {
    throw new Error(
      'DATABASE_URL names a role that row-level security does not bind (SUPERUSER or BYPASSRLS). ' +
        'Create a plain role that owns the database and use that one.',
    );
  }
};

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A value for a jsonb column; without it an array would become a PostgreSQL array. */
export const json = (value: unknown) => sql<unknown>`${JSON.stringify(value)}::jsonb`;

/** The name of the constraint that a statement broke, or null when it failed for another reason. */
export const brokenConstraint = (error: unknown): string | null =>
  error instanceof pg.DatabaseError && error.code !== undefined && error.code.startsWith('23')
    ? (error.constraint ?? null)
    : null;
