import pg from 'pg';
import { vi } from 'vitest';

/**
 * Counts the statements that `work` sends to one database, with those of its transaction. Statements that services of
 * other tests in this process send to their own databases are not counted. Statements of one message count as one.
 *
 * @param url of the database, as in `ClonedDatabase.url`
 */
export const statementsOf = async (url: string, work: () => Promise<unknown>): Promise<number> => {
  const database = new URL(url).pathname.slice(1);
  const query = vi.spyOn(pg.Client.prototype, 'query');
  try {
    await work();
    return query.mock.contexts.filter(
      (client) => client instanceof pg.Client && Reflect.get(client, 'database') === database,
    ).length;
  } finally {
    query.mockRestore();
  }
};
