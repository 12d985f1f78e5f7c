import { createHash } from 'node:crypto';
import {
  CompiledQuery,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
} from 'kysely';
import pg from 'pg';

/*
 * Kysely's driver for PostgreSQL with fewer round trips than the one of Kysely:
 *
 * - `begin` and the settings of a transaction are sent together with its first statement, in one message. If one of
 *   them fails, the server skips the rest, so no statement runs without its transaction and its settings.
 * - A transaction without a statement sends nothing.
 * - `readWith` sends settings and one statement as a transaction of their own: one round trip in all.
 * - A statement that contains PREPARED is a named prepared statement: each connection parses it once. PostgreSQL also
 *   plans it once when a plan without the values is as cheap. Only for text that does not change.
 *
 * State per connection, in memory: whether `begin` and `set_config` are prepared. A new connection prepares them in its
 * first transaction, with a round trip for each.
 */

/** Mark of a statement that is worth a named prepared statement, as in sql`${PREPARED} select …`. */
export const PREPARED_MARK = '/* prepared */';

/** A setting of one transaction. */
export interface Setting {
  name: string;
  value: string;
}

/** Prepared on each connection. */
const TEXTS = { tenant_begin: 'begin', tenant_set: 'select set_config($1, $2, true)' } as const;

/** Statement with which a transaction sets a value; it is sent together with the next statement. */
export const settingQuery = ({ name, value }: Setting): CompiledQuery =>
  CompiledQuery.raw(TEXTS.tenant_set, [name, value]);

interface Statement {
  sql: string;
  parameters: readonly unknown[];
}

/** A prepared statement that is sent before another statement. */
interface Prefix {
  statement: keyof typeof TEXTS;
  values: string[];
}

export const postgresDialect = (pool: pg.Pool): Dialect => ({
  createDriver: () => newDriver(pool),
  createQueryCompiler: () => new PostgresQueryCompiler(),
  createAdapter: () => new PostgresAdapter(),
  createIntrospector: (db) => new PostgresIntrospector(db),
});

/** Runs one statement that reads, with the settings, as one transaction in one round trip. */
export const readWith = async <Row>(
  pool: pg.Pool,
  settings: readonly Setting[],
  statement: Statement,
): Promise<Row[]> => {
  const client = await pool.connect();
  try {
    await prepareOnce(client);
    const { rows } = await queryBehind<Row>(client, settings.map(prefixOf), statement);
    return rows;
  } finally {
    client.release();
  }
};

const prefixOf = ({ name, value }: Setting): Prefix => ({ statement: 'tenant_set', values: [name, value] });

const newDriver = (pool: pg.Pool): Driver => {
  const opened = new WeakMap<DatabaseConnection, Connection>();
  const ours = (connection: DatabaseConnection): Connection => {
    const found = opened.get(connection);
    if (found === undefined) throw new Error('a connection of another driver');
    return found;
  };
  return {
    init: async () => {},
    acquireConnection: async () => {
      const connection = newConnection(await pool.connect());
      opened.set(connection, connection);
      return connection;
    },
    beginTransaction: async (connection) => ours(connection).begin(),
    commitTransaction: (connection) => ours(connection).end('commit'),
    rollbackTransaction: (connection) => ours(connection).end('rollback'),
    releaseConnection: async (connection) => ours(connection).release(),
    destroy: async () => pool.end(),
  };
};

interface Connection extends DatabaseConnection {
  begin(): Promise<void>;
  end(how: 'commit' | 'rollback'): Promise<void>;
  release(): void;
}

const newConnection = (client: pg.PoolClient): Connection => {
  /** What is sent with the next statement. */
  let prefix: Prefix[] = [];
  let isBroken = false;
  const run = async <Row>(statement: Statement): Promise<pg.QueryResult<Row & pg.QueryResultRow>> => {
    const before = prefix;
    prefix = [];
    if (before.length > 0 && !holdsSeveral(statement)) return queryBehind(client, before, statement);
    for (const { statement: name, values } of before) await client.query({ name, text: TEXTS[name], values });
    return client.query<Row & pg.QueryResultRow>(configOf(statement));
  };
  return {
    begin: async () => {
      await prepareOnce(client);
      prefix = [{ statement: 'tenant_begin', values: [] }];
    },
    end: async (how) => {
      const hasBegun = prefix.length === 0;
      prefix = [];
      if (!hasBegun) return;
      try {
        const { command } = await run({ sql: how, parameters: [] });
        // The commit of a transaction in which a statement has failed is a rollback.
        if (how === 'commit' && command === 'ROLLBACK') throw new Error('a failed transaction was committed');
      } catch (error) {
        isBroken ||= how === 'rollback';
        throw error;
      }
    },
    executeQuery: async <Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> => {
      if (sql === TEXTS.tenant_set && prefix.length > 0) {
        prefix.push({ statement: 'tenant_set', values: parameters.map(String) });
        return { rows: [] };
      }
      const { command, rowCount, rows } = await run<Row>({ sql, parameters });
      return CHANGES.has(command) ? { numAffectedRows: BigInt(rowCount ?? 0), rows } : { rows };
    },
    streamQuery: () => {
      throw new Error('streaming is not supported');
    },
    release: () => client.release(isBroken),
  };
};

/** Only the simple protocol takes several statements in one text, and it cannot follow the prefix in one message. */
const holdsSeveral = ({ sql }: Statement): boolean => sql.includes(';');

const CHANGES: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

const prepared = new WeakSet<pg.ClientBase>();

/** Prepares `begin` and `set_config` on a new connection, by an empty transaction. */
const prepareOnce = async (client: pg.ClientBase): Promise<void> => {
  if (prepared.has(client)) return;
  await client.query({ name: 'tenant_begin', text: TEXTS.tenant_begin, values: [] });
  await client.query({ name: 'tenant_set', text: TEXTS.tenant_set, values: ['app.institute', ''] });
  await client.query({ name: 'tenant_rollback', text: 'rollback', values: [] });
  prepared.add(client);
};

const names = new Map<string, string>();

/** The name of a prepared statement; undefined for all other statements. */
const nameOf = (text: string): string | undefined => {
  if (!text.includes(PREPARED_MARK)) return undefined;
  let name = names.get(text);
  if (name === undefined) {
    name = `p_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
    names.set(text, name);
  }
  return name;
};

const configOf = ({ sql, parameters }: Statement): pg.QueryConfig<unknown[]> => {
  const name = nameOf(sql);
  return { text: sql, values: [...parameters], ...(name === undefined ? {} : { name }) };
};

/** Sends prepared statements and then `statement` in one message; the server skips the rest after a failure. */
const queryBehind = async <Row>(
  client: pg.ClientBase,
  prefix: readonly Prefix[],
  statement: Statement,
): Promise<pg.QueryResult<Row & pg.QueryResultRow>> => {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const config = { ...configOf(statement), queryMode: 'extended' };
  const query = new pg.Query<Row & pg.QueryResultRow>(
    config,
    (error: Error | undefined, results: unknown) => {
      if (error === undefined || error === null) resolve(results);
      else reject(error);
    },
  );
  const submit = query.submit.bind(query);
  query.submit = (connection) => {
    connection.stream.cork();
    try {
      for (const { statement: name, values } of prefix) {
        connection.bind({ statement: name, values }, true);
        connection.describe({ type: 'P', name: '' }, true);
        connection.execute({ portal: '' }, true);
      }
      return submit(connection);
    } finally {
      connection.stream.uncork();
    }
  };
  client.query(query);
  try {
    // A result for each statement that was sent; the last one is the statement's.
    const results = await promise;
    const last: pg.QueryResult<Row & pg.QueryResultRow> | undefined = Array.isArray(results)
      ? results.at(-1)
      : undefined;
    if (last === undefined) throw new Error('PostgreSQL returned no result of the statement');
    return last;
  } catch (error) {
    // The trace begins at the caller and not at the socket.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }
};
