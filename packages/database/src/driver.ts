import {
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type QueryResult,
} from 'kysely';
import type pg from 'pg';
import { sendStatements, type Result, type Statement } from './message.ts';

/*
 * Kysely's driver for PostgreSQL with fewer round trips than Kysely's own:
 *
 * - `begin`, the settings of a transaction and the statements of `write` are sent together with the next statement, or
 *   with the commit. The server runs them in their order, each with a snapshot of its own, as if it was sent alone.
 * - `send` sends several statements in one message and gives the rows of each.
 * - If a statement fails, the server skips the rest of its message, so no statement runs without its transaction and
 *   its settings. A rollback to a savepoint drops what was written after the savepoint and not sent yet.
 * - A transaction without a statement sends nothing. A statement that is written while the commit is under way makes
 *   the transaction throw, because it is never sent.
 * - `readWith` sends settings and one statement as a transaction of their own: one round trip in all.
 *
 * The statements of `write`, `send` and `readWith` are named prepared statements: each connection parses a text once,
 * and PostgreSQL also plans it once when a plan without the values is as cheap. Only for texts that do not change.
 */

/** A setting of one transaction. */
export interface Setting {
  name: string;
  value: string;
}

const named = ({ sql, parameters }: Omit<Statement, 'isNamed'>) => ({ sql, parameters, isNamed: true });
const setting = ({ name, value }: Setting) => named({ sql: SET, parameters: [name, value] });
const SET = 'select set_config($1, $2, true)';
const BEGIN = named({ sql: 'begin', parameters: [] });

/** Queries of `write`, and the parts of queries of `send`. Kysely hands a query to the driver as the same object. */
const written = new WeakSet<CompiledQuery>();
const partsOf = new WeakMap<CompiledQuery, readonly Statement[]>();

/** Marks a query whose rows are not needed: it is sent with the next statement of its transaction. */
export const writeQuery = (query: CompiledQuery): CompiledQuery => {
  written.add(query);
  return query;
};

/** Marks a query that stands for all of `parts`. Its only row is the list of the rows of each. */
export const sendQuery = (query: CompiledQuery, parts: readonly CompiledQuery[]): CompiledQuery => {
  partsOf.set(query, parts.map(named));
  return query;
};

/** Runs one statement that reads, with the settings, as one transaction in one round trip. */
export const readWith = async <Row>(
  pool: pg.Pool,
  settings: readonly Setting[],
  statement: CompiledQuery<Row>,
): Promise<Row[]> => {
  const client = await pool.connect();
  try {
    return lastOf(await sendStatements<Row>(client, [...settings.map(setting), named(statement)])).rows;
  } finally {
    client.release();
  }
};

export const postgresDialect = (pool: pg.Pool): Dialect => {
  const opened = new WeakMap<DatabaseConnection, ReturnType<typeof newConnection>>();
  return {
    createDriver: () => ({
      init: async () => {},
      acquireConnection: async () => {
        const connection = newConnection(await pool.connect());
        opened.set(connection, connection);
        return connection;
      },
      beginTransaction: async (connection) => opened.get(connection)?.begin(),
      commitTransaction: async (connection) => opened.get(connection)?.end('commit'),
      rollbackTransaction: async (connection) => opened.get(connection)?.end('rollback'),
      releaseConnection: async (connection) => opened.get(connection)?.release(),
      destroy: async () => pool.end(),
    }),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
  };
};

const newConnection = (client: pg.PoolClient) => {
  /** Statements that are sent together with the next one. */
  let before: Statement[] = [];
  let hasBegun = false;
  let isBroken = false;
  const run = async <Row>(statements: readonly Statement[]): Promise<Result<Row>[]> => {
    const sent = [...before, ...statements];
    before = [];
    hasBegun = true;
    return (await sendStatements<Row>(client, sent)).slice(-statements.length);
  };
  /** Drops what was written since a savepoint. @returns false if the server has the savepoint */
  const dropsBackTo = (savepoint: string): boolean => {
    const at = before.findLastIndex(({ sql }) => sql === `savepoint ${savepoint}`);
    before = before.slice(0, at + 1);
    return at >= 0;
  };
  return {
    begin: (): void => {
      before = [BEGIN];
      hasBegun = false;
    },
    end: async (how: 'commit' | 'rollback'): Promise<void> => {
      if (how === 'rollback') before = [];
      // Written statements are part of the transaction; settings alone change nothing.
      const isEmpty = !hasBegun && before.every((each) => each === BEGIN || each.sql === SET);
      if (isEmpty) before = [];
      if (isEmpty) return;
      try {
        const { command } = lastOf(await run([{ sql: how, parameters: [], isNamed: before.length > 0 }]));
        // The commit of a transaction in which a statement has failed is a rollback.
        if (how === 'commit' && command === 'ROLLBACK') throw new Error('a failed transaction was committed');
        if (before.length > 0) throw new Error('a statement was written after the commit was sent');
      } catch (error) {
        isBroken ||= how === 'rollback';
        throw error;
      }
    },
    executeQuery: async <Row>(query: CompiledQuery): Promise<QueryResult<Row>> => {
      const [, savepoint] = ROLLBACK_TO.exec(query.sql) ?? [];
      if (savepoint !== undefined && dropsBackTo(savepoint)) return { rows: [] };
      if (written.has(query)) {
        before.push(named(query));
        return { rows: [] };
      }
      const parts = partsOf.get(query);
      if (parts !== undefined) {
        const lists: pg.QueryResult['rows'] = [(await run(parts)).map(({ rows }) => rows)];
        return { rows: lists };
      }
      const { sql, parameters } = query;
      const { command, rowCount, rows } = lastOf(await run<Row>([{ sql, parameters, isNamed: false }]));
      return CHANGES.has(command) ? { numAffectedRows: BigInt(rowCount ?? 0), rows } : { rows };
    },
    streamQuery: (): never => {
      throw new Error('streaming is not supported');
    },
    release: (): void => client.release(isBroken),
  };
};

const ROLLBACK_TO = /^rollback to savepoint (\w+)$/;
const CHANGES: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

const lastOf = <Row>(results: readonly Result<Row>[]): Result<Row> => {
  const last = results.at(-1);
  if (last === undefined) throw new Error('PostgreSQL returned no result of the statement');
  return last;
};
