import pg from 'pg';
import { vi } from 'vitest';

/**
 * Counts the statements that `work` sends to one database, with those of its transaction. Statements that services of
 * other tests in this process send to their own databases are not counted, and neither are those that prepare a new
 * connection. A `begin` sent together with a statement counts as one with it.
 *
 * @param url of the database, as in `ClonedDatabase.url`
 */
export const statementsOf = async (url: string, work: () => Promise<unknown>): Promise<number> => {
  const database = new URL(url).pathname.slice(1);
  const query = vi.spyOn(pg.Client.prototype, 'query');
  try {
    await work();
    return query.mock.contexts.filter(
      (client, at) =>
        client instanceof pg.Client &&
        Reflect.get(client, 'database') === database &&
        !preparesConnection(query.mock.calls[at]?.[0]),
    ).length;
  } finally {
    query.mockRestore();
  }
};

const preparesConnection = (config: unknown): boolean =>
  typeof config === 'object' && config !== null && String(Reflect.get(config, 'name')).startsWith('tenant_');
