import {
  ColumnTypeEnum,
  DriverAdapterError,
  type ColumnType,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
  type SqlQuery,
} from '@prisma/driver-adapter-utils';
import pg from 'pg';

/*
 * How Prisma's schema engine speaks to PostgreSQL here: over one `pg` client that the caller owns.
 *
 * Not `@prisma/adapter-pg`, for three reasons found by running it. It cuts a script at every `;`, which breaks function
 * bodies and applies half of a failing file; it cannot read the catalogue's "char" columns; and it is made of a pool,
 * while Prisma's advisory lock and our transaction belong to one session.
 */

/** What the caller wants to know of the engine's conversation. */
export interface EngineSession {
  readonly factory: SqlMigrationAwareDriverAdapterFactory;
  /** The error of the script that failed, if one did: the engine itself reports what failed after it. */
  scriptError(): Error | undefined;
}

/** Let the engine use `client`; the client stays the caller's to begin, commit and close. */
export function engineSession(client: pg.Client): EngineSession {
  let failure: Error | undefined;

  async function query(statement: SqlQuery): Promise<pg.QueryArrayResult<unknown[]>> {
    try {
      return await client.query<unknown[]>({
        text: statement.sql,
        values: statement.args,
        rowMode: 'array',
        types: { getTypeParser: parserOf },
      });
    } catch (error) {
      throw asDriverError(error);
    }
  }

  const adapter: SqlDriverAdapter = {
    provider: 'postgres',
    adapterName: '@evaluation/database',
    async queryRaw(statement) {
      const { fields, rows } = await query(statement);
      return {
        columnNames: fields.map((field) => field.name),
        columnTypes: fields.map((field) => columnTypeOf(field.dataTypeID)),
        rows,
      };
    },
    async executeRaw(statement) {
      return (await query(statement)).rowCount ?? 0;
    },
    async executeScript(script) {
      try {
        // Without parameters, the server takes the whole file as one message: no splitting on our side.
        await client.query(script);
      } catch (error) {
        failure ??= error instanceof Error ? error : new Error(String(error));
        throw asDriverError(error);
      }
    },
    startTransaction() {
      throw new Error('the transaction belongs to deploy');
    },
    getConnectionInfo: () => ({ supportsRelationJoins: true }),
    dispose: async () => {},
  };

  return {
    factory: {
      provider: 'postgres',
      adapterName: adapter.adapterName,
      connect: async () => adapter,
      connectToShadowDb() {
        throw new Error('shadow databases are not used: migrations are compared in a throw-away database');
      },
    },
    scriptError: () => failure,
  };
}

/** The catalogue's types; anything else in a result is one of the engine's queries that we have not met. */
const columnTypes: Readonly<Record<number, ColumnType>> = {
  16: ColumnTypeEnum.Boolean,
  18: ColumnTypeEnum.Character,
  19: ColumnTypeEnum.Text,
  20: ColumnTypeEnum.Int64,
  21: ColumnTypeEnum.Int32,
  23: ColumnTypeEnum.Int32,
  25: ColumnTypeEnum.Text,
  26: ColumnTypeEnum.Int64,
  700: ColumnTypeEnum.Float,
  701: ColumnTypeEnum.Double,
  1000: ColumnTypeEnum.BooleanArray,
  1002: ColumnTypeEnum.CharacterArray,
  1003: ColumnTypeEnum.TextArray,
  1005: ColumnTypeEnum.Int32Array,
  1007: ColumnTypeEnum.Int32Array,
  1009: ColumnTypeEnum.TextArray,
  1015: ColumnTypeEnum.TextArray,
  1016: ColumnTypeEnum.Int64Array,
  1028: ColumnTypeEnum.Int64Array,
  1042: ColumnTypeEnum.Text,
  1043: ColumnTypeEnum.Text,
  1114: ColumnTypeEnum.DateTime,
  1184: ColumnTypeEnum.DateTime,
  1700: ColumnTypeEnum.Numeric,
  2206: ColumnTypeEnum.Text,
  2278: ColumnTypeEnum.Text,
};

function columnTypeOf(oid: number): ColumnType {
  const type = columnTypes[oid];
  if (type === undefined)
    throw new DriverAdapterError({ kind: 'UnsupportedNativeDataType', type: `oid ${oid}` });
  return type;
}

/** The engine reads a moment as ISO 8601 text; all else as `pg` parses it. The session's time zone is UTC. */
function parserOf(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (oid === 1184) return (value) => value.replace(' ', 'T').replace(/\+00$/, '+00:00');
  if (oid === 1114) return (value) => `${value.replace(' ', 'T')}+00:00`;
  if (oid === 26) return (value) => value;
  return pg.types.getTypeParser(oid, format);
}

/** The few errors that the engine acts upon; the others it passes on. */
function asDriverError(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError)) return error;
  const original = { originalCode: error.code ?? '', originalMessage: error.message };
  if (error.code === '42P01') {
    const table = /relation "(.+)" does not exist/.exec(error.message)?.[1];
    return new DriverAdapterError({
      ...original,
      kind: 'TableDoesNotExist',
      ...(table === undefined ? {} : { table }),
    });
  }
  return new DriverAdapterError({
    ...original,
    kind: 'postgres',
    code: error.code ?? '',
    severity: error.severity ?? 'ERROR',
    message: error.message,
    detail: error.detail,
    column: error.column,
    hint: error.hint,
  });
}
