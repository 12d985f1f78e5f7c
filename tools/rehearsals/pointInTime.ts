import { execFileSync } from 'node:child_process';
import { appendFile, chown, cp, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { startPostgres, type EmbeddedPostgres } from '@evaluation/embedded';

/** Base backup, archived WAL and recovery to a moment, with the embedded PostgreSQL. */

export const onServer = async <T extends pg.QueryResultRow>(
  postgres: EmbeddedPostgres,
  work: (client: pg.Client) => Promise<T[]>,
  database = 'postgres',
): Promise<T[]> => {
  const url = new URL(postgres.superuserUrl);
  url.pathname = `/${database}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

/** `archive_mode` needs a second start. */
export const startArchiving = async (data: string, archive: string): Promise<EmbeddedPostgres> => {
  const first = await startPostgres({ dataDir: data, durable: true });
  await mkdir(archive);
  await ownAs(archive, join(data, 'cluster'));
  await onServer(first, async (client) => {
    await client.query(`alter system set archive_mode = 'on'`);
    await client.query(`alter system set archive_command = 'cp %p ${archive}/%f'`);
    return [];
  });
  await first.close();
  return startPostgres({ dataDir: data, durable: true });
};

const ownAs = async (path: string, model: string): Promise<void> => {
  const { uid, gid } = await stat(model);
  await chown(path, uid, gid);
};

/** What `pg_basebackup` does: copies the files of a running cluster between the start and the end of a backup. */
export const copyCluster = async (postgres: EmbeddedPostgres, data: string, base: string): Promise<void> => {
  const cluster = join(data, 'cluster');
  await onServer(postgres, async (client) => {
    await client.query(`select pg_backup_start('rehearsal', true)`);
    execFileSync('cp', ['-a', cluster, base]);
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop()');
    await rm(join(base, 'pg_wal'), { recursive: true });
    await rm(join(base, 'postmaster.pid'));
    await mkdir(join(base, 'pg_wal'), { mode: 0o700 });
    await writeFile(join(base, 'backup_label'), rows[0]?.labelfile ?? '');
    for (const name of ['pg_wal', 'backup_label']) await ownAs(join(base, name), cluster);
    return [];
  });
};

export const momentOf = async (postgres: EmbeddedPostgres): Promise<string> => {
  const [row] = await onServer(
    postgres,
    async (client) =>
      (await client.query<{ moment: string }>('select clock_timestamp()::text as moment')).rows,
  );
  return row?.moment ?? '';
};

/** Closes the current WAL file and waits until it is archived. */
export const archiveAll = async (postgres: EmbeddedPostgres): Promise<void> => {
  await onServer(postgres, async (client) => {
    const { rows } = await client.query<{ name: string }>('select pg_walfile_name(pg_switch_wal()) as name');
    for (;;) {
      const archived = await client.query<{ last: string | null }>(
        'select last_archived_wal as last from pg_stat_archiver',
      );
      if ((archived.rows[0]?.last ?? '') >= (rows[0]?.name ?? '')) return [];
      await wait(100);
    }
  });
};

export const restore = async (from: {
  folder: string;
  data: string;
  archive: string;
  moment: string;
}): Promise<EmbeddedPostgres> => {
  const { folder, data, archive, moment } = from;
  const restored = join(folder, 'restored');
  await mkdir(restored, { mode: 0o711 });
  for (const name of ['superuser.password', 'service.password'])
    await cp(join(data, name), join(restored, name), { preserveTimestamps: true });
  const cluster = join(restored, 'cluster');
  execFileSync('cp', ['-a', join(folder, 'base'), cluster]);
  await appendFile(
    join(cluster, 'postgresql.auto.conf'),
    [
      `archive_mode = 'off'`,
      `restore_command = 'cp ${archive}/%f %p'`,
      `recovery_target_time = '${moment}'`,
      `recovery_target_action = 'promote'`,
      '',
    ].join('\n'),
  );
  await writeFile(join(cluster, 'recovery.signal'), '');
  await ownAs(join(cluster, 'recovery.signal'), cluster);
  return startPostgres({ dataDir: restored, durable: true });
};
