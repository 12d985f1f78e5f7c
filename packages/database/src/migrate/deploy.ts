import pg from 'pg';
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { buildIndex, indexOf } from './indexMigration.ts';
import { prismaFolder, readMigrations, type Migration } from './migrations.ts';
import { inTransaction, takeMigrationLock, withSession } from './session.ts';

/*
 * State: the rows of `_prisma_migrations` (Prisma's table, so that its tools can read it) and the schema itself.
 * Changed by: the one session that holds the advisory lock. Other sessions wait and then find no migration to apply.
 * On a crash: each migration and its row are one transaction, so both are stored or neither, and the next deploy
 * continues. The exception is a concurrent index build, which is recorded after it is built (indexMigration.ts).
 */

interface DeployOptions {
  /** Called with a line on slow steps and on edited migrations. */
  readonly onProgress?: (line: string) => void;
  /** Folder with migrations/; default: the service's own. */
  readonly folder?: string;
  /** What an operator deletes to begin with an empty database, for the message of a refusal. */
  readonly dataIn?: string;
}

/** PostgreSQL refused a migration. The migration is rolled back; earlier ones stay applied. */
export class MigrationFailed extends Error {
  override readonly name = 'MigrationFailed';
  readonly migration: string;

  constructor(migration: string, sql: string, cause: Error) {
    super(`migration ${migration}: ${cause.message}${placeOf(sql, cause)}`, { cause });
    this.migration = migration;
  }
}

/** The database is in a state that an operator must resolve. `code` is the error code of Prisma's CLI. */
class DatabaseNotReady extends Error {
  override readonly name = 'DatabaseNotReady';
  readonly code: 'P3005' | 'P3009';

  constructor(code: 'P3005' | 'P3009', message: string) {
    super(`${code}: ${message}`);
    this.code = code;
  }
}

/**
 * Failures that the next attempt may not meet: lock_not_available (the wait for a table exceeded LOCK_WAIT) and
 * deadlock_detected (a transaction of the service held the tables in another order).
 */
const RETRIED: ReadonlySet<string> = new Set(['55P03', '40P01']);
/** 15 attempts of 2 s, with pauses: longer than the service allows any transaction to run. */
const LOCK_ATTEMPTS = 15;
const LOCK_PAUSE_MS = 1_000;

/**
 * Applies the missing migrations in the order of their names. Any number of processes may call it at once.
 *
 * @param databaseUrl a role that owns the database
 * @returns the names of the migrations that this call applied
 * @throws MigrationFailed
 * @throws DatabaseNotReady P3005 (tables but no history, or a history from before the first release) or P3009 (a
 * failed migration left by Prisma's CLI)
 */
export const deploy = async (
  databaseUrl: string,
  options: DeployOptions = {},
): Promise<{ applied: string[] }> => {
  const { onProgress = () => {}, folder = prismaFolder, dataIn = 'the database' } = options;
  const migrations = await readMigrations(folder);

  return await withSession(databaseUrl, 'migrate deploy', async (client) => {
    await takeMigrationLock(client);
    const checksums = await appliedChecksums(client);
    const [first] = migrations;
    if (checksums.size > 0 && first !== undefined && !checksums.has(first.name))
      throw new DatabaseNotReady(
        'P3005',
        `${dataIn} was made before the first release and cannot be used: delete it and start again`,
      );
    for (const { name, checksum } of migrations) {
      const recorded = checksums.get(name);
      if (recorded !== undefined && recorded !== checksum)
        onProgress(`migration ${name} was edited after it had been applied`);
    }
    const missing = migrations.filter(({ name }) => !checksums.has(name));
    for (const migration of missing) {
      await applyOne(client, migration, onProgress);
      onProgress(`applied migration ${migration.name}`);
    }
    return { applied: missing.map(({ name }) => name) };
  });
};

/** Checksums of applied migrations by name; empty for an empty database. */
const appliedChecksums = async (client: pg.Client): Promise<Map<string, string>> => {
  const { rows: tables } = await client.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()`,
  );
  if (!tables.some(({ name }) => name === '_prisma_migrations')) {
    if (tables.length === 0) return new Map();
    throw new DatabaseNotReady('P3005', 'the database has tables but no history of migrations');
  }
  const { rows } = await client.query<{ name: string; checksum: string; finished: boolean }>(
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished
     FROM _prisma_migrations WHERE rolled_back_at IS NULL`,
  );
  const failed = rows.find(({ finished }) => !finished);
  if (failed !== undefined)
    throw new DatabaseNotReady('P3009', `migration ${failed.name} failed half-way; resolve it by hand`);
  return new Map(rows.map(({ name, checksum }) => [name, checksum]));
};

const applyOne = async (
  client: pg.Client,
  migration: Migration,
  onProgress: (line: string) => void,
): Promise<void> => {
  const { name, sql } = migration;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const index = indexOf(migration);
      if (index !== null) {
        onProgress(`migration ${name} builds an index and waits for all older transactions`);
        await buildIndex(client, index);
      }
      await inTransaction(client, async () => {
        await client.query(HISTORY);
        // A query without parameters may hold a whole file of statements.
        if (index === null) await client.query(sql);
        await client.query(RECORD, [randomUUID(), migration.checksum, name]);
      });
      return;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const isBusy = error instanceof pg.DatabaseError && RETRIED.has(error.code ?? '');
      if (!isBusy || attempt === LOCK_ATTEMPTS) throw new MigrationFailed(name, sql, error);
      onProgress(`migration ${name} waits for a table that is in use`);
      await wait(LOCK_PAUSE_MS);
    }
  }
};

const HISTORY = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id varchar(36) PRIMARY KEY,
  checksum varchar(64) NOT NULL,
  finished_at timestamptz,
  migration_name varchar(255) NOT NULL,
  logs text,
  rolled_back_at timestamptz,
  started_at timestamptz NOT NULL DEFAULT now(),
  applied_steps_count integer NOT NULL DEFAULT 0
)`;

const RECORD = `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
  VALUES ($1, $2, $3, now(), clock_timestamp(), 1)`;

/** Converts PostgreSQL's error position (in characters, from 1) to a line number. */
const placeOf = (sql: string, error: Error): string => {
  if (!(error instanceof pg.DatabaseError) || error.position === undefined) return '';
  const line =
    [...sql].slice(0, Number(error.position) - 1).filter((character) => character === '\n').length + 1;
  return ` (line ${line})`;
};
