import pg from 'pg';
import type { Migration } from './migrations.ts';
import { LOCK_WAIT } from './session.ts';

/*
 * An index of a table that is in use, built while it is written to: `CREATE INDEX CONCURRENTLY`, which cannot be part of a
 * transaction. Such a migration says so in its first line, and is that one statement.
 *
 * When the process dies here: an index that is not whole yet is left, which PostgreSQL marks as invalid, or a whole one
 * that nobody has recorded. The next deploy drops the one and finds the other.
 */

const MARK = /^-- outside a transaction\b.*\n/;
const STATEMENT =
  /^CREATE (?:UNIQUE )?INDEX CONCURRENTLY IF NOT EXISTS (?:"([a-z0-9_]+)"|([a-z0-9_]+)) ON [^;]+;?$/i;

interface IndexToBuild {
  name: string;
  statement: string;
}

/**
 * @returns the index that a migration builds beside the traffic; null for one that is a transaction, as most are
 * @throws Error one that says it is none, and holds anything but one index that may be built again
 */
export const indexOf = ({ sql }: Migration): IndexToBuild | null => {
  if (!MARK.test(sql)) return null;
  const statement = sql.replaceAll(/^\s*--.*$/gm, '').trim();
  const [, quoted, plain] = STATEMENT.exec(statement) ?? [];
  const name = quoted ?? plain?.toLowerCase();
  if (name === undefined) {
    throw new Error(
      'outside a transaction there may be one CREATE INDEX CONCURRENTLY IF NOT EXISTS name ON …, and nothing else',
    );
  }
  return { name, statement };
};

/** Waits for every transaction that is older, a backup's too, and meanwhile holds up nobody. Safe to repeat. */
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
