import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { deploy } from '../migrate/deploy.ts';
import { prismaFolder, writeMigration } from '../migrate/migrations.ts';
import { withSession } from '../migrate/session.ts';
import { startEngine } from './engine.ts';
import { catalogueReader } from './engineAdapter.ts';

interface DriftOptions {
  /** Folder with schema.prisma and migrations/; default: the service's own. */
  readonly folder?: string;
}

/**
 * Returns the SQL by which the migrations differ from schema.prisma, or '' when they agree. CHECKs, row-level
 * security, functions, triggers and expression indexes are not compared, because Prisma's schema language lacks them.
 *
 * @param serverUrl a role that may create databases; the migrations are applied to a temporary one
 * @throws MigrationFailed
 */
export const drift = async (serverUrl: string, options: DriftOptions = {}): Promise<string> => {
  const { folder = prismaFolder } = options;
  const schema = await readFile(join(folder, 'schema.prisma'), 'utf8');
  const files = [{ path: 'schema.prisma', content: schema }];
  return await withThrowAwayDatabase(serverUrl, async (url) => {
    await deploy(url, { folder });
    return await withSession(url, 'migrate drift', async (client) => {
      const engine = await startEngine(schema, catalogueReader(client));
      try {
        const { exitCode, stdout } = await engine.diff({
          from: { tag: 'schemaDatasource', files, configDir: folder },
          to: { tag: 'schemaDatamodel', files },
          script: true,
          exitCode: true,
          filters: { externalTables: [], externalEnums: [] },
        });
        return exitCode === 0 ? '' : (stdout ?? '').trim();
      } finally {
        engine.free();
      }
    });
  });
};

/**
 * Writes the migration that takes the existing migrations to schema.prisma.
 *
 * @param serverUrl as for `drift`
 * @param name lower-case words joined by `_`
 * @returns the path of the new migration.sql, or null when nothing differs
 * @throws RangeError for an invalid name
 */
export const newMigration = async (
  serverUrl: string,
  name: string,
  options: DriftOptions = {},
): Promise<string | null> => {
  if (!/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name))
    throw new RangeError('invalid migration name; use words_like_this');
  const { folder = prismaFolder } = options;
  const sql = await drift(serverUrl, { folder });
  return sql === '' ? null : await writeMigration(folder, name, `${sql}\n`);
};

const withThrowAwayDatabase = async <T>(serverUrl: string, work: (url: string) => Promise<T>): Promise<T> => {
  const name = `throw_away_${randomBytes(8).toString('hex')}`;
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const onServer = (statement: string) =>
    withSession(
      serverUrl,
      'migrate drift',
      async (client: pg.Client) => void (await client.query(statement)),
    );
  await onServer(`CREATE DATABASE ${name}`);
  try {
    return await work(url.href);
  } finally {
    await onServer(`DROP DATABASE ${name} WITH (FORCE)`);
  }
};
