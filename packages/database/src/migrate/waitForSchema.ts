import pg from 'pg';
import { setTimeout as wait } from 'node:timers/promises';
import { prismaFolder, readMigrations } from './migrations.ts';
import { codeOf, isUnavailable } from './unavailable.ts';

const LOOK_EVERY_MS = 1000;
/** Timeout of one connection attempt and of one query. */
const PATIENCE_MS = 5000;

/**
 * Waits until all migrations of this release are applied and this role may read and write their tables, also while
 * the server, database or tables do not exist. Calls `onProgress` whenever the reason for waiting changes. Read only,
 * so core's role may call it. Migrations of later releases are ignored.
 *
 * @throws the signal's reason
 */
export const waitForSchema = async (
  databaseUrl: string,
  options: { signal: AbortSignal; onProgress?: (line: string) => void },
): Promise<void> => {
  const { signal, onProgress = () => {} } = options;
  const wanted = (await readMigrations(prismaFolder)).map(({ name }) => name);
  let reported = '';
  for (;;) {
    const line = await lacking(databaseUrl, wanted);
    if (line === null) return;
    if (line !== reported) onProgress(line);
    reported = line;
    await wait(LOOK_EVERY_MS, undefined, { signal });
  }
};

/** @returns the reason why core cannot start yet, as a sentence; null when it can start */
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
    // Grants are committed after the last migration, in a separate transaction.
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
    // undefined_table: the first migration creates `_prisma_migrations`.
    case '42P01':
      return unapplied(all, all);
    case '42501':
      return `${forbidden('_prisma_migrations')} (${code})`;
    case '28P01':
    case '28000':
      return `PostgreSQL refused the login (${code}): check the role and the password in DATABASE_URL`;
    case '3D000':
      return `the database in DATABASE_URL does not exist (${code})`;
    default:
      return isUnavailable(error)
        ? `the database does not answer yet (${code ?? String(error)})`
        : `the query of the migrations failed (${code ?? String(error)})`;
  }
};
