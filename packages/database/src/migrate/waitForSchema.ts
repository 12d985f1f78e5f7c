import pg from 'pg';
import { setTimeout as wait } from 'node:timers/promises';
import { prismaFolder, readMigrations } from './migrations.ts';
import { codeOf, isUnavailable } from './unavailable.ts';

const LOOK_EVERY_MS = 1000;
/** A server that does not answer within this is asked again. */
const PATIENCE_MS = 5000;

/**
 * Waits until every migration of this release is applied and this role may read and write what they made, also while
 * there is no server, no database or no table yet. Says what it waits for, whenever that changes. Changes nothing, so
 * core's own role will do. Migrations of a later release do not matter.
 *
 * @throws the signal's reason
 */
export const waitForSchema = async (
  databaseUrl: string,
  options: { signal: AbortSignal; onProgress?: (line: string) => void },
): Promise<void> => {
  const { signal, onProgress = () => {} } = options;
  const wanted = (await readMigrations(prismaFolder)).map(({ name }) => name);
  let said = '';
  for (;;) {
    const line = await lacking(databaseUrl, wanted);
    if (line === null) return;
    if (line !== said) onProgress(line);
    said = line;
    await wait(LOOK_EVERY_MS, undefined, { signal });
  }
};

/** @returns what core would still miss, as a sentence; null when it can start */
const lacking = async (databaseUrl: string, wanted: readonly string[]): Promise<string | null> => {
  const client = new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ name: string }>(
      'select migration_name as name from _prisma_migrations where finished_at is not null and rolled_back_at is null',
    );
    const applied = new Set(rows.map(({ name }) => name));
    const missing = wanted.filter((name) => !applied.has(name));
    if (missing.length > 0) return unapplied(missing.length, wanted.length);
    // The grants come after the last migration, in a transaction of their own.
    const { rows: barred } = await client.query<{ name: string }>(`
      select relname as name
      from pg_class join (select relnamespace, relowner from pg_class where oid = '_prisma_migrations'::regclass) as ours
        using (relnamespace, relowner)
      where relkind in ('r', 'p') and not (
        has_table_privilege(pg_class.oid, 'select')
        and (relname = '_prisma_migrations' or has_table_privilege(pg_class.oid, 'insert'))
      )
      order by 1 limit 1`);
    return barred.length === 0 ? null : forbidden(barred[0]?.name ?? '');
  } catch (error) {
    return sentenceOf(error, wanted.length);
  } finally {
    await client.end().catch(() => {});
  }
};

const unapplied = (missing: number, all: number): string =>
  `${missing} of ${all} migrations are not applied yet`;

const forbidden = (table: string): string =>
  `this role may not read and write ${table} yet: the migrations grant it to the role that CORE_DATABASE_ROLE names to them`;

const sentenceOf = (error: unknown, all: number): string => {
  const code = codeOf(error);
  switch (code) {
    // The table comes with the first migration.
    case '42P01':
      return unapplied(all, all);
    case '42501':
      return `${forbidden('_prisma_migrations')} (${code})`;
    case '28P01':
    case '28000':
      return `PostgreSQL does not let this role in (${code}): is the role or the password in DATABASE_URL wrong?`;
    case '3D000':
      return `there is no database of the name in DATABASE_URL (${code})`;
    default:
      return isUnavailable(error)
        ? `the database does not answer yet (${code ?? String(error)})`
        : `the database cannot be asked (${code ?? String(error)})`;
  }
};
