import pg from 'pg';
import { vi } from 'vitest';

/**
 * Counts the transactions that this process commits in one database while `work` runs.
 *
 * @param url of the database, as in `ClonedDatabase.url`
 * @param ignoring transactions with such a statement are not counted
 */
export const commitsOf = async (
  url: string,
  work: () => Promise<unknown>,
  ignoring?: RegExp,
): Promise<number> => {
  const database = new URL(url).pathname.slice(1);
  const query = vi.spyOn(pg.Client.prototype, 'query');
  try {
    await work();
    let commits = 0;
    const ignored = new Set<unknown>();
    for (const [index, [statement]] of query.mock.calls.entries()) {
      const client = query.mock.contexts[index];
      if (!(client instanceof pg.Client) || Reflect.get(client, 'database') !== database) continue;
      const text = textOf(statement);
      if (ignoring?.test(text) === true) ignored.add(client);
      if (text === 'commit' && !ignored.delete(client)) commits += 1;
    }
    return commits;
  } finally {
    query.mockRestore();
  }
};

const textOf = (statement: unknown): string =>
  typeof statement === 'string' ? statement : String(Reflect.get(Object(statement), 'text'));
