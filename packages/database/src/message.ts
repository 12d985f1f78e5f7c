import { randomUUID } from 'node:crypto';
import pg from 'pg';

/*
 * Sends statements of one connection in one message: each is bound and executed, and one Sync ends the message. After a
 * failure the server skips the statements behind it.
 *
 * State per connection, in memory: the names of its prepared statements. A named statement is parsed at its first use,
 * in the same message.
 */

export interface Statement {
  sql: string;
  parameters: readonly unknown[];
  isNamed: boolean;
}

export type Result<Row> = pg.QueryResult<Row & pg.QueryResultRow>;

/** Names of the prepared statements of each connection, by their text. */
const namesOf = new WeakMap<pg.ClientBase, Map<string, string>>();

/** Runs statements in one message. Only the last one may be a text of several statements, which goes alone. */
export const sendStatements = async <Row>(
  client: pg.ClientBase,
  statements: readonly Statement[],
): Promise<Result<Row>[]> => {
  const before = statements.slice(0, -1);
  const [last] = statements.slice(-1);
  if (last === undefined) return [];
  if (before.length > 0 && last.sql.includes(';'))
    return [...(await sendStatements<Row>(client, before)), ...(await sendStatements<Row>(client, [last]))];
  const names = namesOf.get(client) ?? new Map<string, string>();
  namesOf.set(client, names);
  const isNew = statements.filter(({ sql, isNamed }) => isNamed && !names.has(sql));
  for (const { sql } of isNew) names.set(sql, randomUUID());
  const configOf = ({ sql, parameters, isNamed }: Statement): Config => ({
    text: sql,
    values: [...parameters],
    ...(isNamed ? { name: names.get(sql) ?? '' } : {}),
  });
  try {
    if (before.length === 0) return [await client.query<Row & pg.QueryResultRow>(configOf(last))];
    return await sendTogether<Row>(client, before.map(configOf), configOf(last));
  } catch (error) {
    // The server may have parsed them: the next use of their texts parses them again under other names.
    for (const { sql } of isNew) names.delete(sql);
    // The trace begins at the caller and not at the socket.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }
};

type Config = pg.QueryConfig<unknown[]>;
const extended = (config: Config) => ({ ...config, queryMode: 'extended' });

const sendTogether = async <Row>(
  client: pg.ClientBase,
  before: readonly Config[],
  last: Config,
): Promise<Result<Row>[]> => {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const query = new pg.Query<Row & pg.QueryResultRow>(
    extended(last),
    (error: Error | undefined, results: unknown) =>
      error instanceof Error ? reject(error) : resolve(results),
  );
  const submit = query.submit.bind(query);
  query.submit = (connection) => {
    // `pg` ends each statement with a Sync; here only the last one ends with it.
    const unsynced: pg.Connection = Object.create(connection, { sync: { value: () => {} } });
    connection.stream.cork();
    try {
      for (const config of before) new pg.Query(extended(config)).submit(unsynced);
      return submit(connection);
    } finally {
      connection.stream.uncork();
    }
  };
  client.query(query);
  const results = await promise;
  if (Array.isArray(results) && results.length === before.length + 1) return results;
  throw new Error('PostgreSQL returned no result for each statement');
};
