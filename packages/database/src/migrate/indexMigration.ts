import pg from 'pg';
import type { Migration } from './migrations.ts';
import { LOCK_WAIT } from './session.ts';

/*
 * Migrations that build an index without blocking writes (`CREATE INDEX CONCURRENTLY`), which cannot run in a
 * transaction. Such a migration starts with the MARK line and holds only that statement.
 *
 * On a crash: an unfinished index, which PostgreSQL marks as invalid, or a finished but unrecorded one is left. The
 * next deploy drops an invalid index and accepts a valid one.
 */

const MARK = /^-- outside a transaction\b.*\n/;
const STATEMENT =
  /^CREATE (?:UNIQUE )?INDEX CONCURRENTLY IF NOT EXISTS (?:"([a-z0-9_]+)"|([a-z0-9_]+)) ON [^;]+;?$/i;

interface IndexToBuild {
  name: string;
  statement: string;
}

/**
 * @returns the index of a migration with the MARK line; null for other migrations
 * @throws Error when the migration holds more than one repeatable CREATE INDEX CONCURRENTLY
 */
export const indexOf = ({ sql }: Migration): IndexToBuild | null => {
  if (!MARK.test(sql)) return null;
  const statement = sql.replaceAll(/^\s*--.*$/gm, '').trim();
  const [, quoted, plain] = STATEMENT.exec(statement) ?? [];
  const name = quoted ?? plain?.toLowerCase();
  if (name === undefined) {
    throw new Error(
      'a migration outside a transaction must be one CREATE INDEX CONCURRENTLY IF NOT EXISTS name ON …',
    );
  }
  return { name, statement };
};

/** Waits for all older transactions, including backups, but blocks no reads or writes. Idempotent. */
export const buildIndex = async (client: pg.Client, { name, statement }: IndexToBuild): Promise<void> => {
  await client.query(`SET lock_timeout = 0`);
  try {
    const { rows } = await client.query(
      'SELECT FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid',
      [name],
    );
    if (rows.length > 0) await client.query(`DROP INDEX CONCURRENTLY ${pg.escapeIdentifier(name)}`);
    await client.query(statement);
  } finally {
    await client.query(`SET lock_timeout = '${LOCK_WAIT}'`).catch(() => {});
  }
};
