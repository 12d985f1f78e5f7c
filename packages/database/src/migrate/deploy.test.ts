import { startPostgres } from '@evaluation/embedded';
import { closedAfterTests, folderForTests } from '@evaluation/test-services';
import { createHash, randomBytes } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { getCompileCacheDir } from 'node:module';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { deploy, MigrationFailed } from '../index.ts';

const root = await folderForTests('migrate-');
const server = closedAfterTests(await startPostgres({ dataDir: join(root, 'postgres'), durable: false }));
let folder: string;
let databaseUrl: string;
const clients: pg.Client[] = [];

beforeEach(async () => {
  const name = `test_${randomBytes(6).toString('hex')}`;
  folder = join(root, name);
  await mkdir(folder);
  const owner = decodeURIComponent(new URL(server.url).username);
  await (await connectTo(server.superuserUrl)).query(`CREATE DATABASE ${name} OWNER ${owner}`);
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  databaseUrl = url.href;
});

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.end()));
});

const connectTo = async (url: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  clients.push(client);
  return client;
};

const addMigration = async (name: string, sql: string): Promise<void> => {
  await mkdir(join(folder, 'migrations', name), { recursive: true });
  await writeFile(join(folder, 'migrations', name, 'migration.sql'), sql);
};

const rowsOf = async <T extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<T[]> =>
  (await (await connectTo(databaseUrl)).query<T>(text, values)).rows;

const history = () => rowsOf<Record<string, unknown>>('SELECT * FROM _prisma_migrations ORDER BY started_at');

const PUBLIC_TABLES = `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`;

const tables = async (): Promise<string[]> =>
  (await rowsOf<{ name: string }>(PUBLIC_TABLES)).map(({ name }) => name);

const isValid = async (index: string): Promise<boolean> => {
  const text = 'SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = $1::regclass';
  return (await rowsOf<{ valid: boolean }>(text, [index]))[0]?.valid === true;
};

const FIRST = `
CREATE TABLE a (id int PRIMARY KEY, changes int NOT NULL DEFAULT 0);
CREATE FUNCTION count_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.changes := OLD.changes + 1; -- ; inside a body
  RETURN NEW;
END;
$$;
CREATE TRIGGER count_change BEFORE UPDATE ON a FOR EACH ROW EXECUTE FUNCTION count_change();
INSERT INTO a VALUES (1), (2);
`;

describe('deploy', () => {
  test('applies whole files, function bodies included, in order, and records them as Prisma does', async () => {
    await addMigration('20260102000000_b', 'CREATE TABLE b (a_id int REFERENCES a (id))');
    await addMigration('20260101000000_a', FIRST);
    const lines: string[] = [];
    const onProgress = (line: string) => void lines.push(line);
    expect(await deploy(databaseUrl, { folder, onProgress })).toEqual({
      applied: ['20260101000000_a', '20260102000000_b'],
    });
    expect(lines).toEqual(['applied migration 20260101000000_a', 'applied migration 20260102000000_b']);
    const client = await connectTo(databaseUrl);
    expect((await client.query('UPDATE a SET id = id RETURNING changes')).rows).toEqual([
      { changes: 1 },
      { changes: 1 },
    ]);

    const rows = await history();
    expect(rows).toMatchObject([
      { migration_name: '20260101000000_a', applied_steps_count: 1, logs: null, rolled_back_at: null },
      { migration_name: '20260102000000_b', applied_steps_count: 1, logs: null, rolled_back_at: null },
    ]);
    expect(rows[0]).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      checksum: createHash('sha256').update(FIRST).digest('hex'),
      started_at: expect.any(Date),
      finished_at: expect.any(Date),
    });
    const { rows: columns } = await client.query(
      `SELECT column_name, udt_name, is_nullable FROM information_schema.columns
       WHERE table_name = '_prisma_migrations' ORDER BY ordinal_position`,
    );
    expect(columns.map((column) => Object.values(column).join(' '))).toEqual([
      'id varchar NO',
      'checksum varchar NO',
      'finished_at timestamptz YES',
      'migration_name varchar NO',
      'logs text YES',
      'rolled_back_at timestamptz YES',
      'started_at timestamptz NO',
      'applied_steps_count int4 NO',
    ]);
  });

  test('a second deploy applies nothing, a later one only new migrations', async () => {
    await addMigration('20260101000000_a', FIRST);
    await deploy(databaseUrl, { folder });
    expect(await deploy(databaseUrl, { folder })).toEqual({ applied: [] });
    await addMigration('20260102000000_b', 'CREATE TABLE b ()');
    expect(await deploy(databaseUrl, { folder })).toEqual({ applied: ['20260102000000_b'] });
    expect(await history()).toHaveLength(2);
  });

  test('without migrations the database is left as it is', async () => {
    expect(await deploy(databaseUrl, { folder })).toEqual({ applied: [] });
    expect(await tables()).toEqual([]);
  });

  test('with three processes and two callers at once, each migration is applied once', async () => {
    await addMigration('20260101000000_a', FIRST);
    await addMigration('20260102000000_b', 'CREATE TABLE b (); SELECT pg_sleep(0.2)');
    await addMigration('20260103000000_c', 'CREATE TABLE c ()');
    const results = await Promise.all([
      ...Array.from({ length: 3 }, () => deployInProcess()),
      deploy(databaseUrl, { folder }),
      deploy(databaseUrl, { folder }),
    ]);
    expect(results.flatMap(({ applied }) => applied).toSorted()).toEqual([
      '20260101000000_a',
      '20260102000000_b',
      '20260103000000_c',
    ]);
    expect(await history()).toHaveLength(3);
  });

  test('a failing migration is named with its line and rolled back, earlier ones stay, and a corrected one is applied', async () => {
    await addMigration('20260101000000_a', FIRST);
    await addMigration('20260102000000_b', 'CREATE TABLE b (id int);\n\nINSERT INTO b VALUES (1), (two);\n');
    await addMigration('20260103000000_c', 'CREATE TABLE c ()');
    const failed = await deploy(databaseUrl, { folder }).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(MigrationFailed);
    expect(failed).toMatchObject({
      migration: '20260102000000_b',
      message: 'migration 20260102000000_b: column "two" does not exist (line 3)',
    });
    expect(await tables()).toEqual(['_prisma_migrations', 'a']);
    expect(await history()).toMatchObject([{ migration_name: '20260101000000_a' }]);

    await addMigration('20260102000000_b', 'CREATE TABLE b (id int); INSERT INTO b VALUES (1), (2)');
    expect(await deploy(databaseUrl, { folder })).toEqual({
      applied: ['20260102000000_b', '20260103000000_c'],
    });
  });

  test('when the very first migration fails, the database stays empty', async () => {
    await addMigration('20260101000000_a', 'CREATE TABLE a (); SELECT 1/0');
    await expect(deploy(databaseUrl, { folder })).rejects.toThrow(
      'migration 20260101000000_a: division by zero',
    );
    expect(await tables()).toEqual([]);
  });

  test('a killed process leaves no partial migration, and the next deploy continues', async () => {
    await addMigration('20260101000000_a', 'CREATE TABLE a (); SELECT pg_sleep(600)');
    const dying = startProcess();
    const client = await connectTo(databaseUrl);
    await vi.waitFor(
      async () => {
        const { rows } = await client.query(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%pg_sleep(600)' AND pid <> pg_backend_pid()`,
        );
        expect(rows).toHaveLength(1);
      },
      { timeout: 50_000 },
    );
    dying.kill('SIGKILL');
    await addMigration('20260101000000_a', 'CREATE TABLE a ()');
    expect(await deploy(databaseUrl, { folder })).toEqual({ applied: ['20260101000000_a'] });
  });

  test('a migration waits for a table in use without blocking readers for long', async () => {
    await addMigration('20260101000000_a', FIRST);
    await deploy(databaseUrl, { folder });
    await addMigration('20260102000000_b', 'ALTER TABLE a ADD COLUMN b int');
    const user = await connectTo(databaseUrl);
    await user.query('BEGIN');
    await user.query('SELECT * FROM a');
    const lines: string[] = [];
    const deployed = deploy(databaseUrl, { folder, onProgress: (line) => void lines.push(line) });
    await vi.waitFor(
      () => expect(lines).toContain('migration 20260102000000_b waits for a table that is in use'),
      {
        timeout: 50_000,
      },
    );
    await user.query('COMMIT');
    expect(await deployed).toEqual({ applied: ['20260102000000_b'] });
  });

  const ASIDE = '-- outside a transaction: the table is large';

  test('an index outside a transaction is built during writes, by one of two deploys', async () => {
    await addMigration('20260101000000_a', FIRST);
    await deploy(databaseUrl, { folder });
    const sql = `${ASIDE}\nCREATE INDEX CONCURRENTLY IF NOT EXISTS "a_changes" ON a (changes);\n`;
    await addMigration('20260102000000_b', sql);
    const writer = await connectTo(databaseUrl);
    await writer.query('BEGIN');
    await writer.query('INSERT INTO a VALUES (3)');
    const lines: string[] = [];
    const onProgress = (line: string) => void lines.push(line);
    const deployed = Promise.all([1, 2].map(() => deploy(databaseUrl, { folder, onProgress })));
    const client = await connectTo(databaseUrl);
    await vi.waitFor(
      async () => {
        const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
          AND query LIKE 'CREATE INDEX%'`;
        expect((await client.query(waiting)).rows).toHaveLength(1);
      },
      { timeout: 60_000 },
    );
    // An index built in a transaction would block this write.
    await client.query(`SET lock_timeout = '1s'`);
    await client.query('INSERT INTO a VALUES (4)');
    // Longer than LOCK_WAIT.
    await client.query('SELECT pg_sleep(2.2)');
    await writer.query('COMMIT');

    expect((await deployed).flatMap(({ applied }) => applied)).toEqual(['20260102000000_b']);
    expect(lines).toEqual([
      'migration 20260102000000_b builds an index and waits for all older transactions',
      'applied migration 20260102000000_b',
    ]);
    expect(await isValid('a_changes')).toBe(true);
    expect((await history()).at(-1)).toMatchObject({
      migration_name: '20260102000000_b',
      checksum: createHash('sha256').update(sql).digest('hex'),
      finished_at: expect.any(Date),
      rolled_back_at: null,
    });
    expect(await deploy(databaseUrl, { folder, onProgress })).toEqual({ applied: [] });
    expect(lines).toHaveLength(2);
  });

  test('an index left by a killed process is rebuilt if invalid, recorded if valid', async () => {
    await addMigration(
      '20260101000000_a',
      `${FIRST} CREATE INDEX half ON a (id); CREATE INDEX whole ON a (id);`,
    );
    await deploy(databaseUrl, { folder });
    const superuser = new URL(server.superuserUrl);
    superuser.pathname = new URL(databaseUrl).pathname;
    const maker = await connectTo(superuser.href);
    await maker.query(`UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'half'::regclass`);
    const oids = async (): Promise<{ half: number; whole: number } | undefined> =>
      (await maker.query(`SELECT 'half'::regclass::oid AS half, 'whole'::regclass::oid AS whole`)).rows[0];
    const before = await oids();
    await addMigration(
      '20260102000000_b',
      `${ASIDE}\nCREATE INDEX CONCURRENTLY IF NOT EXISTS half ON a (id)`,
    );
    await addMigration(
      '20260103000000_c',
      `${ASIDE}\nCREATE INDEX CONCURRENTLY IF NOT EXISTS whole ON a (id)`,
    );
    expect(await deploy(databaseUrl, { folder })).toEqual({
      applied: ['20260102000000_b', '20260103000000_c'],
    });
    const after = await oids();
    expect(after?.half).not.toBe(before?.half);
    expect(after?.whole).toBe(before?.whole);
    expect(await isValid('half')).toBe(true);
  });

  test.each([
    ['two statements', 'CREATE INDEX CONCURRENTLY IF NOT EXISTS i ON a (id); DROP TABLE a;'],
    ['an index that cannot be built again', 'CREATE INDEX CONCURRENTLY i ON a (id);'],
    ['something else', 'ALTER TABLE a ADD COLUMN b int;'],
  ])('outside a transaction %s is refused without effect', async (_what, statements) => {
    await addMigration('20260101000000_a', FIRST);
    await addMigration('20260102000000_b', `${ASIDE}\n${statements}`);
    await expect(deploy(databaseUrl, { folder })).rejects.toThrow(
      /^migration 20260102000000_b: a migration outside a transaction must be one CREATE INDEX/,
    );
    expect(await tables()).toEqual(['_prisma_migrations', 'a']);
    expect(await history()).toHaveLength(1);
  });

  test('a long migration ignores the short timeouts of its role', async () => {
    const role = decodeURIComponent(new URL(server.url).username);
    const superuser = await connectTo(server.superuserUrl);
    const database = new URL(databaseUrl).pathname.slice(1);
    await superuser.query(`ALTER ROLE ${role} IN DATABASE ${database} SET statement_timeout = '50ms'`);
    await superuser.query(`ALTER ROLE ${role} IN DATABASE ${database} SET transaction_timeout = '100ms'`);
    await addMigration('20260101000000_a', 'CREATE TABLE a (); SELECT pg_sleep(0.3)');
    expect(await deploy(databaseUrl, { folder })).toEqual({ applied: ['20260101000000_a'] });
  });

  test('an edited migration that was already applied is reported', async () => {
    await addMigration('20260101000000_a', FIRST);
    await deploy(databaseUrl, { folder });
    await appendFile(join(folder, 'migrations', '20260101000000_a', 'migration.sql'), '-- afterthought\n');
    const lines: string[] = [];
    await deploy(databaseUrl, { folder, onProgress: (line) => void lines.push(line) });
    expect(lines).toEqual(['migration 20260101000000_a was edited after it had been applied']);
  });

  test('on a database migrated by Prisma only new migrations are applied', async () => {
    await addMigration('20260101000000_a', FIRST);
    const client = await connectTo(databaseUrl);
    await client.query(FIRST);
    // The table and row as Prisma's engine writes them.
    await client.query(`CREATE TABLE "_prisma_migrations" (
      "id" VARCHAR(36) PRIMARY KEY NOT NULL, "checksum" VARCHAR(64) NOT NULL, "finished_at" TIMESTAMPTZ,
      "migration_name" VARCHAR(255) NOT NULL, "logs" TEXT, "rolled_back_at" TIMESTAMPTZ,
      "started_at" TIMESTAMPTZ NOT NULL DEFAULT now(), "applied_steps_count" INTEGER NOT NULL DEFAULT 0)`);
    const checksum = createHash('sha256').update(FIRST).digest('hex');
    const insert = `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, rolled_back_at, applied_steps_count)
      VALUES (gen_random_uuid(), $1, $2, $3, $4, 1)`;
    await client.query(insert, [checksum, '20260101000000_a', new Date(), null]);
    await client.query(insert, ['', '20260102000000_b', null, new Date()]);
    await addMigration('20260102000000_b', 'CREATE TABLE b ()');
    const lines: string[] = [];
    const onProgress = (line: string) => void lines.push(line);
    expect(await deploy(databaseUrl, { folder, onProgress })).toEqual({ applied: ['20260102000000_b'] });
    expect(lines).toEqual(['applied migration 20260102000000_b']);
    expect((await client.query('SELECT count(*)::int AS rows FROM a')).rows).toEqual([{ rows: 2 }]);
  });

  test('a database with tables but no history is refused with Prisma’s code', async () => {
    await (await connectTo(databaseUrl)).query('CREATE TABLE somebody_elses ()');
    await addMigration('20260101000000_a', FIRST);
    await expect(deploy(databaseUrl, { folder })).rejects.toMatchObject({ code: 'P3005' });
    expect(await tables()).toEqual(['somebody_elses']);
  });

  test('a history from before the first release is refused with a sentence that says what to delete', async () => {
    await addMigration('20260101000000_a', FIRST);
    await deploy(databaseUrl, { folder });
    await rm(join(folder, 'migrations'), { recursive: true });
    await addMigration('20260102000000_tables', 'CREATE TABLE b ()');
    const dataIn = 'the data folder /srv/.data';
    await expect(deploy(databaseUrl, { folder, dataIn })).rejects.toThrow(
      'P3005: the data folder /srv/.data was made before the first release and cannot be used: delete it and start again',
    );
    expect(await history()).toHaveLength(1);
  });

  test('a database of the next release is accepted: its migrations are unknown and come later', async () => {
    await addMigration('20260101000000_a', FIRST);
    await addMigration('20260102000000_b', 'CREATE TABLE b ()');
    await deploy(databaseUrl, { folder });
    await rm(join(folder, 'migrations', '20260102000000_b'), { recursive: true });
    expect(await deploy(databaseUrl, { folder })).toEqual({ applied: [] });
  });

  test("a failed migration left by Prisma's CLI stops the deploy", async () => {
    await addMigration('20260101000000_a', FIRST);
    await deploy(databaseUrl, { folder });
    await (await connectTo(databaseUrl)).query('UPDATE _prisma_migrations SET finished_at = NULL');
    await addMigration('20260102000000_b', 'CREATE TABLE b ()');
    await expect(deploy(databaseUrl, { folder })).rejects.toMatchObject({ code: 'P3009' });
  });
});

const startProcess = () => {
  const program = `
    const { deploy } = await import(process.argv[1]);
    console.log(JSON.stringify(await deploy(process.argv[2], { folder: process.argv[3] })));
  `;
  const entry = new URL('../index.ts', import.meta.url).href;
  const compiled = getCompileCacheDir();
  return spawn(process.execPath, ['--input-type=module', '--eval', program, entry, databaseUrl, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // The child uses the compile cache of the test process.
    env: { ...process.env, ...(compiled === undefined ? {} : { NODE_COMPILE_CACHE: dirname(compiled) }) },
  });
};

const deployInProcess = async (): Promise<{ applied: string[] }> => {
  const child = startProcess();
  let output = '';
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  const [code] = await once(child, 'close');
  expect(code).toBe(0);
  return JSON.parse(output);
};
