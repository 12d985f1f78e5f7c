import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const prismaFolder: string = fileURLToPath(new URL('../../prisma', import.meta.url));

const LOCK_FILE = 'migration_lock.toml';
const LOCK_TEXT =
  '# Prisma reads this to refuse migrations of another kind of database.\nprovider = "postgresql"\n';

export interface Migration {
  /** Folder name, `<timestamp>_<name>`. Migrations are applied in the order of their names. */
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the file in hex, as in `_prisma_migrations`. */
  readonly checksum: string;
}

/** Migrations of `folder` in order; [] when it has no migrations folder. */
export const readMigrations = async (folder: string): Promise<Migration[]> => {
  const directory = join(folder, 'migrations');
  const entries = await readdir(directory, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return await Promise.all(
    names.toSorted().map(async (name) => {
      const sql = await readFile(join(directory, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
};

/**
 * Writes a new migration.
 *
 * @param name lower-case words joined by `_`
 * @returns the path of its file
 */
export const writeMigration = async (folder: string, name: string, sql: string): Promise<string> => {
  const timestamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  const directory = join(folder, 'migrations', `${timestamp}_${name}`);
  await mkdir(directory, { recursive: true });
  await writeFile(join(folder, 'migrations', LOCK_FILE), LOCK_TEXT);
  const file = join(directory, 'migration.sql');
  await writeFile(file, sql, { flag: 'wx' });
  return file;
};
