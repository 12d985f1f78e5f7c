import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { inject } from 'vitest';
import '../startedServices.ts';
import { onServer } from './onServer.ts';

/** A database of one test file (or one test): migrated, empty, nobody else's. */
export interface ClonedDatabase {
  /** As the service's own role: bound by row-level security, and owner of everything in it. */
  url: string;
  /** The same database for a look behind row-level security, and for breaking things. */
  superuserUrl: string;
  /**
   * Drop it, at the end of the tests.
   *
   * @throws Error when connections to it were left open; it is dropped nevertheless
   */
  drop(): Promise<void>;
}

const GRACE_MS = 2_000;

/** Copy the migrated template. */
export async function cloneDatabase(): Promise<ClonedDatabase> {
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
}

/** Who is still connected to a database. A connection that was closed a moment ago is given time to end on the server. */
async function connectionsLeft(superuserUrl: string, name: string): Promise<string[]> {
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
}
