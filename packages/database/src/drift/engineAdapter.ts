import {
  ColumnTypeEnum,
  DriverAdapterError,
  type ColumnType,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
  type SqlQuery,
} from '@prisma/driver-adapter-utils';
import pg from 'pg';

/**
 * Lets Prisma's schema engine read the catalogue over `client`; the caller closes `client`. `@prisma/adapter-pg`
 * cannot be used, because it rejects the catalogue's "char" columns.
 */
export const catalogueReader = (client: pg.Client): SqlMigrationAwareDriverAdapterFactory => {
  const query = async ({ sql, args }: SqlQuery): Promise<pg.QueryArrayResult<unknown[]>> =>
    await client.query<unknown[]>({
      text: sql,
      values: args,
      rowMode: 'array',
      types: { getTypeParser: parserOf },
    });
  const refuse = (): never => {
    throw new Error('the schema engine may only read the database here');
  };
  const adapter: SqlDriverAdapter = {
    provider: 'postgres',
    adapterName: '@evaluation/database',
    queryRaw: async (statement) => {
      const { fields, rows } = await query(statement);
      return {
        columnNames: fields.map((field) => field.name),
        columnTypes: fields.map((field) => columnTypeOf(field.dataTypeID)),
        rows,
      };
    },
    executeRaw: async (statement) => (await query(statement)).rowCount ?? 0,
    executeScript: refuse,
    startTransaction: refuse,
    getConnectionInfo: () => ({ supportsRelationJoins: true }),
    dispose: async () => {},
  };
  return {
    provider: 'postgres',
    adapterName: adapter.adapterName,
    connect: async () => adapter,
    connectToShadowDb: refuse,
  };
};

/** Column types of the catalogue. Another type means that the engine sends a query not known here. */
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
  1700: ColumnTypeEnum.Numeric,
  2206: ColumnTypeEnum.Text,
  2278: ColumnTypeEnum.Text,
};

const columnTypeOf = (oid: number): ColumnType => {
  const type = columnTypes[oid];
  if (type === undefined)
    throw new DriverAdapterError({ kind: 'UnsupportedNativeDataType', type: `oid ${oid}` });
  return type;
};

/** Parses oids as text, as the engine expects, and other types as `pg` does. */
const parserOf = (oid: number, format?: 'text' | 'binary'): ((value: string) => unknown) => {
  if (oid === 26) return (value) => value;
  return pg.types.getTypeParser(oid, format);
};
