import { randomBytes } from 'node:crypto';
import { cloneDatabase } from '@evaluation/test-services';
import pg from 'pg';
import { expect, test } from 'vitest';
import { grantCore } from './grantCore.ts';
import { waitForSchema } from './waitForSchema.ts';
import { waitForServer } from './waitForServer.ts';

test('it resolves once all migrations of this release are applied, ignoring later ones', async () => {
  const clone = await cloneDatabase();
  const owner = new pg.Client({ connectionString: clone.url });
  await owner.connect();
  try {
    const { rows } = await owner.query<{ name: string }>(
      `update _prisma_migrations set finished_at = null
       where migration_name = (select max(migration_name) from _prisma_migrations) returning migration_name as name`,
    );
    await owner.query(`insert into _prisma_migrations (id, checksum, migration_name, finished_at)
      values ('later', '', '99999999999999_later', now())`);
    const lines: string[] = [];
    const ended = waitForSchema(clone.url, {
      signal: new AbortController().signal,
      onProgress: (line) => {
        lines.push(line);
        // The migration is recorded only after the wait was reported.
        void owner.query(`update _prisma_migrations set finished_at = now() where migration_name = $1`, [
          rows[0]?.name,
        ]);
      },
    });
    await ended;
    expect(lines).toEqual([expect.stringMatching(/^1 of \d+ migrations are not applied yet$/)]);
  } finally {
    await owner.end();
    await clone.drop();
  }
});

test('it waits for a missing server until the signal aborts', async () => {
  const stop = new AbortController();
  const waiting = waitForSchema('postgresql://user@127.0.0.1:1/none', {
    signal: stop.signal,
    onProgress: (line) => stop.abort(new Error(line)),
  });
  await expect(waiting).rejects.toThrow('aborted');
  expect(String(stop.signal.reason)).toContain('the database does not answer yet (ECONNREFUSED)');
});

test('a role without rights gets its own message and waits for all of its rights', async () => {
  const clone = await cloneDatabase();
  const superuser = new pg.Client({ connectionString: clone.superuserUrl });
  await superuser.connect();
  const role = `waiting_${randomBytes(6).toString('hex')}`;
  try {
    await superuser.query(`create role ${role} login password 'known'`);
    const url = new URL(clone.url);
    url.username = role;
    url.password = 'known';
    const lines: string[] = [];
    const ended = waitForSchema(url.href, {
      signal: new AbortController().signal,
      onProgress: (line) => {
        lines.push(line);
        // First a grant that an operator could make by hand, then the grants of the migrations.
        void (lines.length === 1
          ? superuser.query(`grant select on all tables in schema public to ${role}`)
          : grantCore(clone.url, role));
      },
    });
    await ended;
    expect(lines).toEqual([
      expect.stringMatching(
        /^this role may not read and write _prisma_migrations yet.*CORE_DATABASE_ROLE.*42501/,
      ),
      expect.stringMatching(/^this role may not read and write [a-z]+\w* yet.*CORE_DATABASE_ROLE/),
    ]);
  } finally {
    await superuser.query(`drop owned by ${role}`);
    await superuser.query(`drop role ${role}`);
    await superuser.end();
    await clone.drop();
  }
});

test('waitForServer waits for a server that refuses or does not resolve, but not for a missing database', async () => {
  for (const [address, code] of [
    ['127.0.0.1:1', 'ECONNREFUSED'],
    ['no-such-host.invalid', 'ENOTFOUND'],
  ] as const) {
    const stop = new AbortController();
    const waiting = waitForServer(`postgresql://user@${address}/none`, {
      signal: stop.signal,
      onProgress: (line) => stop.abort(new Error(line)),
    });
    await expect(waiting).rejects.toThrow('aborted');
    expect(String(stop.signal.reason)).toMatch(new RegExp(`does not answer yet \\((${code}|EAI_AGAIN)\\)`));
  }
  const clone = await cloneDatabase();
  try {
    const signal = new AbortController().signal;
    await waitForServer(clone.url, { signal });
    const elsewhere = new URL(clone.url);
    elsewhere.pathname = '/no_such_database';
    await expect(waitForServer(elsewhere.href, { signal })).rejects.toMatchObject({ code: '3D000' });
  } finally {
    await clone.drop();
  }
});

test.each([
  ['a wrong password', 'password', 'wrong', 'refused the login (28P01)'],
  [
    'a database that does not exist',
    'pathname',
    '/none',
    'the database in DATABASE_URL does not exist (3D000)',
  ],
] as const)('%s is reported, and not taken for a schema that is late', async (_, part, wrong, sentence) => {
  const clone = await cloneDatabase();
  try {
    const url = new URL(clone.url);
    url[part] = wrong;
    const stop = new AbortController();
    const waiting = waitForSchema(url.href, {
      signal: stop.signal,
      onProgress: (line) => stop.abort(new Error(line)),
    });
    await expect(waiting).rejects.toThrow('aborted');
    expect(String(stop.signal.reason)).toContain(sentence);
  } finally {
    await clone.drop();
  }
});
