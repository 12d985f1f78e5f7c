import pg from 'pg';
import { setTimeout as wait } from 'node:timers/promises';
import { ALL_TABLES, startEngine } from './engine.ts';
import { engineSession } from './engineAdapter.ts';
import { buildIndex, indexOf } from './indexMigration.ts';
import { asEngineList, prismaFolder, readMigrations, readSchema, type Migration } from './migrations.ts';
import { takeMigrationLock, withSession } from './session.ts';

/*
 * State: the rows of `_prisma_migrations` and the schema itself.
 * Changed by: one session at a time, the holder of Prisma's advisory lock. The others wait, and find nothing left to do.
 * When it dies: each migration is one transaction together with its row, so it is applied and recorded, or neither; the
 * next deploy goes on behind the last one. (Prisma's CLI commits the row first and the script apart, and asks a person
 * to resolve what a crash left between them.) But for an index of a large table, which is built first and recorded then
 * (indexMigration.ts).
 */

export interface DeployOptions {
  /** Told what takes time and what is odd, a line at a time. */
  readonly onProgress?: (line: string) => void;
  /** A folder with schema.prisma and migrations/; the service's own by default. */
  readonly folder?: string;
}

/** A migration that PostgreSQL refused. Nothing of it stays; those before it do. */
export class MigrationFailed extends Error {
  override readonly name = 'MigrationFailed';
  /** The folder name of the migration. */
  readonly migration: string;

  constructor(migration: string, sql: string, cause: Error) {
    super(`migration ${migration}: ${cause.message}${placeOf(sql, cause)}`, { cause });
    this.migration = migration;
  }
}

/** PostgreSQL's lock_not_available: somebody used the table for longer than a migration may hold up the rest. */
const LOCK_NOT_AVAILABLE = '55P03';
/** With two seconds of waiting each: longer in all than the service lets any transaction live. */
const LOCK_ATTEMPTS = 15;
const LOCK_PAUSE_MS = 1_000;

/**
 * Apply the migrations that the database does not have yet, as `prisma migrate deploy` would. Any number of processes
 * may call it at once. Design 3.1, 7.
 *
 * @param databaseUrl a role that owns the database
 * @returns the names of the migrations that this call applied
 * @throws MigrationFailed
 * @throws Error with Prisma's code P3005 (tables but no history) or P3009 (a failed migration that Prisma's CLI left)
 */
export async function deploy(
  databaseUrl: string,
  options: DeployOptions = {},
): Promise<{ applied: string[] }> {
  const { onProgress = () => {}, folder = prismaFolder } = options;
  const [schema, migrations] = await Promise.all([readSchema(folder), readMigrations(folder)]);

  return await withSession(databaseUrl, 'migrate deploy', async (client) => {
    await takeMigrationLock(client);
    const { factory, scriptError } = engineSession(client);
    const engine = await startEngine(schema, factory);
    try {
      const { editedMigrationNames } = await engine.diagnoseMigrationHistory({
        migrationsList: asEngineList(folder, migrations),
        optInToShadowDatabase: false,
        filters: ALL_TABLES,
      });
      for (const name of editedMigrationNames)
        onProgress(`migration ${name} was edited after it had been applied`);

      const applied: string[] = [];
      // One more migration at a time: the engine applies what is missing of a list, and each shall have its transaction.
      for (const [index, migration] of migrations.entries()) {
        const upToHere = asEngineList(folder, migrations.slice(0, index + 1));
        const isBuilt = await builtAside(client, migration, onProgress);
        const names = await inTransaction(client, migration, { onProgress, scriptError }, async () => {
          if (isBuilt) {
            await engine.markMigrationApplied({ migrationsList: upToHere, migrationName: migration.name });
            return [migration.name];
          }
          const result = await engine.applyMigrations({ migrationsList: upToHere, filters: ALL_TABLES });
          return result.appliedMigrationNames;
        });
        for (const name of names) onProgress(`applied migration ${name}`);
        applied.push(...names);
      }
      return { applied };
    } finally {
      engine.free();
    }
  });
}

/** @returns whether the migration is one outside a transaction that nobody had applied yet, and was now */
async function builtAside(
  client: pg.Client,
  migration: Migration,
  onProgress: (line: string) => void,
): Promise<boolean> {
  try {
    const index = indexOf(migration);
    if (index === null) return false;
    const { rows } = await client.query(
      'SELECT FROM _prisma_migrations WHERE migration_name = $1 AND finished_at IS NOT NULL AND rolled_back_at IS NULL',
      [migration.name],
    );
    if (rows.length > 0) return false;
    onProgress(`migration ${migration.name} builds an index, and waits for every transaction that is older`);
    await buildIndex(client, index);
    return true;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new MigrationFailed(migration.name, migration.sql, error);
  }
}

async function inTransaction(
  client: pg.Client,
  migration: Migration,
  context: { onProgress: (line: string) => void; scriptError: () => Error | undefined },
  work: () => Promise<string[]>,
): Promise<string[]> {
  for (let attempt = 1; ; attempt += 1) {
    await client.query('BEGIN');
    try {
      const names = await work();
      const { command } = await client.query('COMMIT');
      // PostgreSQL answers ROLLBACK when something in the transaction had failed and nobody said so.
      if (command !== 'COMMIT') throw new Error('the transaction was not committed');
      return names;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {});
      const cause = context.scriptError();
      if (cause === undefined) throw error;
      const busy = cause instanceof pg.DatabaseError && cause.code === LOCK_NOT_AVAILABLE;
      if (!busy || attempt === LOCK_ATTEMPTS) throw new MigrationFailed(migration.name, migration.sql, cause);
      context.onProgress(`migration ${migration.name} waits for a table that is in use`);
      await wait(LOCK_PAUSE_MS);
    }
  }
}

/** PostgreSQL counts characters from 1; people count lines. */
function placeOf(sql: string, error: Error): string {
  if (!(error instanceof pg.DatabaseError) || error.position === undefined) return '';
  const line =
    [...sql].slice(0, Number(error.position) - 1).filter((character) => character === '\n').length + 1;
  return ` (line ${line})`;
}
