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
 * - `later` sends a statement together with the next one or with the commit. Each statement has a snapshot of its own,
 *   as if it was sent alone. If one fails, the server skips the rest. A rollback to a savepoint drops what was
 *   postponed after the savepoint.
 * - A statement that is postponed during the commit makes the transaction throw, since it is never sent.
 * - A transaction without a statement sends nothing.
 * - `readWith` sends settings and one statement as a transaction of their own: one round trip in all.
 * - A statement that contains PREPARED is a named prepared statement: each connection parses it once. PostgreSQL also
 *   plans it once when a plan without the values is as cheap. Only for text that does not change.
 *
 * State per connection, in memory: the names of its prepared statements. A statement that is not prepared yet takes a
 * round trip of its own, once for each connection.
 */

/** Mark of a statement that is worth a named prepared statement, as in sql`${PREPARED} select …`. */
export const PREPARED_MARK = '/* prepared */';

/** A setting of one transaction. */
export interface Setting {
  name: string;
  value: string;
}

const BEGIN = `${PREPARED_MARK} begin`;
const COMMIT = `${PREPARED_MARK} commit`;
const SET = `${PREPARED_MARK} select set_config($1, $2, true)`;

interface Statement {
  sql: string;
  parameters: readonly unknown[];
}

/** Statement with which a transaction sets a value; it is sent together with the next statement. */
export const settingQuery = ({ name, value }: Setting): CompiledQuery =>
  laterQuery(CompiledQuery.raw(SET, [name, value]));

const postponed = new WeakSet<object>();

/**
 * A query that is sent with the next statement of its transaction, or with the commit. Its rows arrive with the rows of
 * that statement.
 */
export const laterQuery = ({ sql, parameters }: Statement): CompiledQuery => {
  if (!sql.includes(PREPARED_MARK)) throw new Error('only a prepared statement can be sent with another one');
  const query = CompiledQuery.raw(sql, [...parameters]);
  postponed.add(query);
  return query;
};

export const SEND = CompiledQuery.raw('send the postponed statements');

const withoutRows = new WeakSet<object>();

/** False for the rows of a postponed statement that was not sent yet. */
export const hasArrived = (rows: readonly unknown[]): boolean => !withoutRows.has(rows);

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
    return lastOf(await runAll<Row>(client, [...settings.map(setStatement), statement])).rows;
  } finally {
    client.release();
  }
};

const setStatement = ({ name, value }: Setting): Statement => ({ sql: SET, parameters: [name, value] });

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

interface Postponed extends Statement {
  deliver?: (rows: pg.QueryResult['rows']) => void;
}

const newConnection = (client: pg.PoolClient): Connection => {
  /** Statements that are sent together with the next one. */
  let before: Postponed[] = [];
  let hasBegun = false;
  let isBroken = false;
  /** Undoes postponed statements by dropping them. @returns false if the server has the savepoint */
  const dropsBackTo = (savepoint: string): boolean => {
    const at = before.findLastIndex(({ sql }) => sql === `${PREPARED_MARK} savepoint ${savepoint}`);
    before = before.slice(0, at + 1);
    return at >= 0;
  };
  const sendPostponed = async <Row>(statement?: Statement): Promise<Result<Row>[]> => {
    const sent = before;
    before = [];
    hasBegun = true;
    const results = await runAll<Row>(client, statement === undefined ? sent : [...sent, statement]);
    for (const [at, { deliver }] of sent.entries()) deliver?.(results[at]?.rows ?? []);
    return results;
  };
  const run = async <Row>(statement: Statement): Promise<Result<Row>> =>
    lastOf(await sendPostponed<Row>(statement));
  const postpone = <Row>(statement: Statement): Row[] => {
    const rows: Row[] = [];
    withoutRows.add(rows);
    const deliver = (arrived: pg.QueryResult['rows']): void => {
      rows.push(...arrived);
      withoutRows.delete(rows);
    };
    before.push({ ...statement, deliver });
    return rows;
  };
  return {
    begin: async () => {
      before = [{ sql: BEGIN, parameters: [] }];
      hasBegun = false;
    },
    end: async (how) => {
      // Postponed statements are part of the transaction; settings alone change nothing.
      if (how === 'rollback') before = [];
      const isEmpty = !hasBegun && before.every(({ sql }) => sql === BEGIN || sql === SET);
      if (isEmpty) {
        before = [];
        return;
      }
      try {
        const isPrepared = how === 'commit' && before.length > 0;
        const { command } = await run({ sql: isPrepared ? COMMIT : how, parameters: [] });
        // The commit of a transaction in which a statement has failed is a rollback.
        if (how === 'commit' && command === 'ROLLBACK') throw new Error('a failed transaction was committed');
        if (before.length > 0) throw new Error('a statement was postponed after the commit was sent');
      } catch (error) {
        isBroken ||= how === 'rollback';
        throw error;
      }
    },
    executeQuery: async <Row>(query: CompiledQuery): Promise<QueryResult<Row>> => {
      const [, savepoint] = ROLLBACK_TO.exec(query.sql) ?? [];
      if (savepoint !== undefined && dropsBackTo(savepoint)) return { rows: [] };
      if (query === SEND) {
        await sendPostponed();
        return { rows: [] };
      }
      if (postponed.has(query)) return { rows: postpone<Row>(query) };
      const { command, rowCount, rows } = await run<Row>(query);
      return CHANGES.has(command) ? { numAffectedRows: BigInt(rowCount ?? 0), rows } : { rows };
    },
    streamQuery: () => {
      throw new Error('streaming is not supported');
    },
    release: () => client.release(isBroken),
  };
};

const ROLLBACK_TO = /^rollback to savepoint (\w+)$/;
const CHANGES: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** Whether the text has several statements. Only the simple protocol accepts such a text, alone in its message. */
const holdsSeveral = ({ sql }: Statement): boolean => sql.includes(';');

type Result<Row> = pg.QueryResult<Row & pg.QueryResultRow>;

/** Names of the prepared statements of each connection. */
const prepared = new WeakMap<pg.ClientBase, Set<string>>();

/**
 * The names of the statements that the connection has prepared. A new connection prepares `begin` and `set_config` by
 * an empty transaction: `readWith` has to send `set_config` together with its statement.
 */
const preparedBy = async (client: pg.ClientBase): Promise<Set<string>> => {
  const known = prepared.get(client);
  if (known !== undefined) return known;
  await client.query(configOf({ sql: BEGIN, parameters: [] }));
  await client.query(configOf({ sql: SET, parameters: ['app.institute', ''] }));
  await client.query({ name: 'tenant_rollback', text: 'rollback', values: [] });
  const names = new Set([nameOf(BEGIN) ?? '', nameOf(SET) ?? '']);
  prepared.set(client, names);
  return names;
};

/** Runs statements in order, in one message if the connection has prepared all but the last one. */
const runAll = async <Row>(
  client: pg.ClientBase,
  statements: readonly Statement[],
): Promise<Result<Row>[]> => {
  const known = await preparedBy(client);
  const results: Result<Row>[] = [];
  let message: Statement[] = [];
  const send = async (): Promise<void> => {
    const last = message.at(-1);
    if (last === undefined) return;
    results.push(...(await sendTogether<Row>(client, message.slice(0, -1), last)));
    const name = nameOf(last.sql);
    if (name !== undefined) known.add(name);
    message = [];
  };
  for (const statement of statements) {
    if (holdsSeveral(statement)) await send();
    message.push(statement);
    // pg prepares a statement only at the end of a message.
    if (!known.has(nameOf(statement.sql) ?? '')) await send();
  }
  await send();
  return results;
};

const lastOf = <Row>(results: readonly Result<Row>[]): Result<Row> => {
  const last = results.at(-1);
  if (last === undefined) throw new Error('PostgreSQL returned no result of the statement');
  return last;
};

/**
 * Names of prepared statements by their text. Tests recognise statements that prepare a connection by `tenant_` in the
 * name.
 */
const names = new Map([
  [BEGIN, 'tenant_begin'],
  [SET, 'tenant_set'],
]);

/** The name of a prepared statement; undefined for all other statements. */
const nameOf = (text: string): string | undefined => {
  const known = names.get(text);
  if (known !== undefined || !text.includes(PREPARED_MARK)) return known;
  const name = `p_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
  names.set(text, name);
  return name;
};

const configOf = ({ sql, parameters }: Statement): pg.QueryConfig<unknown[]> => {
  const name = nameOf(sql);
  return { text: sql, values: [...parameters], ...(name === undefined ? {} : { name }) };
};

/** Sends prepared statements and then `statement` in one message; the server skips the rest after a failure. */
const sendTogether = async <Row>(
  client: pg.ClientBase,
  before: readonly Statement[],
  statement: Statement,
): Promise<Result<Row>[]> => {
  if (before.length === 0) return [await client.query<Row & pg.QueryResultRow>(configOf(statement))];
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
      for (const { sql, parameters } of before) {
        connection.bind({ statement: nameOf(sql) ?? '', values: parameters.map(wireValue) }, true);
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
    const results = await promise;
    if (!Array.isArray(results) || results.length !== before.length + 1)
      throw new Error('PostgreSQL returned no result for each statement');
    return results;
  } catch (error) {
    // The trace begins at the caller and not at the socket.
    if (error instanceof Error) Error.captureStackTrace(error);
    throw error;
  }
};

/** A parameter as text, as `pg` writes it for a statement that is sent alone. */
const wireValue = (value: unknown): string | null => {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return `{${value.map(arrayElement).join(',')}}`;
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
    return value.toString();
  return JSON.stringify(value);
};

const arrayElement = (value: unknown): string => {
  if (value === null || value === undefined) return 'NULL';
  const text = wireValue(value) ?? '';
  return Array.isArray(value) ? text : `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
};
