import { openLanes } from '@evaluation/lanes';
import { objectStore } from '@evaluation/object-store';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { describe, expect, inject, test } from 'vitest';
import { cloneDatabase, newBucket, newLanes } from './index.ts';
import { whyNoContainers } from './servers/containerEngine.ts';

const query = async (url: string, text: string): Promise<Record<string, unknown>[]> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
};

describe('cloned databases', () => {
  test('a clone is migrated and empty, and its role is subject to row-level security', async () => {
    const database = await cloneDatabase();
    expect(await query(database.url, 'SELECT count(*)::int AS institutes FROM institutes')).toEqual([
      { institutes: 0 },
    ]);
    expect(
      await query(
        database.url,
        'SELECT rolsuper OR rolbypassrls AS mighty FROM pg_roles WHERE rolname = current_user',
      ),
    ).toEqual([{ mighty: false }]);
    expect(
      await query(
        database.url,
        `SELECT DISTINCT tableowner = current_user AS own FROM pg_tables WHERE schemaname = 'public'`,
      ),
    ).toEqual([{ own: true }]);
    await database.drop();
  });

  test('simultaneous clones are separate', async () => {
    const databases = await Promise.all(Array.from({ length: 4 }, () => cloneDatabase()));
    expect(new Set(databases.map(({ url }) => url)).size).toBe(4);
    const [first, second] = databases;
    await query(first?.url ?? '', 'CREATE TABLE only_here ()');
    expect(await query(second?.url ?? '', `SELECT to_regclass('only_here') AS found`)).toEqual([
      { found: null },
    ]);
    await Promise.all(databases.map((database) => database.drop()));
  });

  test('an open connection fails drop, and the database is dropped nevertheless', async () => {
    const database = await cloneDatabase();
    const leaked = new pg.Client({ connectionString: database.url, application_name: 'leaky' });
    leaked.on('error', () => {});
    await leaked.connect();
    await leaked.query('SELECT 1');
    await expect(database.drop()).rejects.toThrow(/connections were left open: leaky idle/);
    const name = new URL(database.url).pathname.slice(1);
    const { superuserUrl } = inject('testServices').postgres;
    expect(await query(superuserUrl, `SELECT 1 FROM pg_database WHERE datname = '${name}'`)).toEqual([]);
  });

  test('the template accepts no connections', async () => {
    const { url, template } = inject('testServices').postgres;
    const direct = new URL(url);
    direct.pathname = `/${template}`;
    await expect(query(direct.href, 'SELECT 1')).rejects.toMatchObject({ code: '55000' });
  });
});

test('a new bucket exists and is empty, and its credentials work', async () => {
  const store = objectStore(await newBucket());
  try {
    expect(await store.head('a')).toBeNull();
    await store.put('a', new TextEncoder().encode('text'), 'text/plain');
    expect(await store.head('a')).toMatchObject({ sizeBytes: 4, contentType: 'text/plain' });
  } finally {
    store.close();
  }
});

test('new lanes are empty and separate from other namespaces', async () => {
  const one = openLanes({ ...newLanes(), name: 'core' });
  const other = openLanes({ ...newLanes(), name: 'core' });
  try {
    const job = { version: 1 as const, run_id: randomUUID(), institute_id: randomUUID(), delivery: 1 };
    await one.publish('copy', job, `${job.run_id}:1`);
    expect(await one.depth('copy')).toBe(1);
    expect(await other.depth('copy')).toBe(0);
  } finally {
    await Promise.all([one.close(), other.close()]);
  }
});

test('without a Docker engine a run with containers says so in one line', async () => {
  const failing = () => Promise.reject(new Error('no runtime found\nTried: a socket'));
  expect(await whyNoContainers(failing)).toMatch(
    /^TEST_SERVICES=containers needs .* \(no runtime found\)\. .*$/,
  );
  expect(await whyNoContainers(() => Promise.resolve())).toBeNull();
});
