import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { inject } from 'vitest';
import '../startedServices.ts';
import { onServer } from './onServer.ts';

/** A migrated, empty database for one test file or test. */
export interface ClonedDatabase {
  /** Connects as the service's role, which owns all objects and is subject to row-level security. */
  url: string;
  /** Connects as superuser, who bypasses row-level security. */
  superuserUrl: string;
  /**
   * Drops the database.
   *
   * @throws Error when connections were left open; the database is dropped nevertheless
   */
  drop(): Promise<void>;
}

const GRACE_MS = 2_000;

export const cloneDatabase = async (): Promise<ClonedDatabase> => {
  const { superuserUrl, url, template } = inject('testServices').postgres;
  const name = `test_${randomBytes(8).toString('hex')}`;
  const owner = decodeURIComponent(new URL(url).username);
  await onServer(superuserUrl, `CREATE DATABASE ${name} TEMPLATE ${template} OWNER ${owner}`);
  const inDatabase = (from: string) => {
    const own = new URL(from);
    own.pathname = `/${name}`;
    return own.href;
  };
  return {
    url: inDatabase(url),
    superuserUrl: inDatabase(superuserUrl),
    async drop() {
      const left = await connectionsLeft(superuserUrl, name);
      await onServer(superuserUrl, `DROP DATABASE ${name} WITH (FORCE)`);
      if (left.length > 0) throw new Error(`connections were left open: ${left.join('; ')}`);
    },
  };
};

/** Connections to the database after up to GRACE_MS, since the server ends a closed connection a little later. */
const connectionsLeft = async (superuserUrl: string, name: string): Promise<string[]> => {
  const deadline = performance.now() + GRACE_MS;
  for (;;) {
    const left = await onServer<{ what: string }>(
      superuserUrl,
      `SELECT concat_ws(' ', nullif(application_name, ''), state, '-', query) AS what
       FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend'`,
      [name],
    );
    if (left.length === 0 || performance.now() > deadline) return left.map(({ what }) => what);
    await wait(20);
  }
};
