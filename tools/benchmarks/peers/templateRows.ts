/**
 * The rows that the service writes for one submission, as a template that a bare server can write again with new ids.
 */
import { randomUUID } from 'node:crypto';
import type { Client, ClientBase } from 'pg';

export interface TemplateRow {
  table: string;
  /** Column and value; `fresh` values differ from submission to submission. */
  columns: { name: string; value: unknown; fresh: boolean }[];
}

/** Columns of a table that an insert may set, with their types. */
const columnsOf = async (client: Client, table: string): Promise<{ name: string; type: string }[]> =>
  (
    await client.query<{ name: string; type: string }>(
      `select column_name as name, data_type as type from information_schema.columns
       where table_schema = 'public' and table_name = $1 and is_generated = 'NEVER' and is_identity = 'NO'
         and coalesce(column_default, '') not like 'nextval%'
       order by ordinal_position`,
      [table],
    )
  ).rows;

const tablesOf = async (client: Client): Promise<string[]> =>
  (
    await client.query<{ name: string }>(
      `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
    )
  ).rows.map(({ name }) => name);

/** Copies all rows of one database into another one with the same tables. */
export const copyRows = async (from: Client, to: Client): Promise<void> => {
  await to.query(`set session_replication_role = replica`);
  for (const table of await tablesOf(from)) {
    const names = (await columnsOf(from, table)).map(({ name }) => `"${name}"`).join(', ');
    const { rows } = await from.query<{ all: string | null }>(
      `select jsonb_agg(t)::text as all from "${table}" t`,
    );
    await to.query(
      `insert into "${table}" (${names})
       select ${names} from jsonb_populate_recordset(null::"${table}", coalesce($1::jsonb, '[]')) on conflict do nothing`,
      [rows[0]?.all ?? null],
    );
  }
  await to.query(`set session_replication_role = origin`);
};

/**
 * Runs `write` and returns the rows that it inserted, in an order that keeps foreign keys.
 * @param order tables that others refer to, first
 */
export const rowsWrittenBy = async (
  client: Client,
  order: readonly string[],
  write: () => Promise<readonly string[]>,
): Promise<TemplateRow[]> => {
  const tables = await tablesOf(client);
  const countOf = async (table: string) =>
    (await client.query<{ n: number }>(`select count(*)::int as n from "${table}"`)).rows[0]?.n ?? 0;
  const before = new Map<string, number>();
  for (const table of tables) before.set(table, await countOf(table));
  const { rows: begun } = await client.query<{ xid: string }>('select pg_current_xact_id()::text as xid');
  const known = new Set(await write());
  const written: { table: string; row: Record<string, unknown> }[] = [];
  for (const table of tables) {
    if ((await countOf(table)) === before.get(table)) continue;
    const { rows } = await client.query<{ row: Record<string, unknown> }>(
      `select to_jsonb(t) as row from "${table}" t where t.xmin::text::bigint > $1`,
      [begun[0]?.xid],
    );
    for (const { row } of rows) {
      if (typeof row['id'] === 'string') known.add(row['id']);
      written.push({ table, row });
    }
  }
  const rank = (table: string) => (order.includes(table) ? order.indexOf(table) : order.length);
  const template: TemplateRow[] = [];
  for (const { table, row } of written.toSorted((a, b) => rank(a.table) - rank(b.table))) {
    const columns = await columnsOf(client, table);
    template.push({
      table,
      columns: columns.map(({ name, type }) => {
        const value = row[name] ?? null;
        return {
          name,
          value: type === 'jsonb' && value !== null ? JSON.stringify(value) : value,
          fresh: typeof value === 'string' && known.has(value),
        };
      }),
    });
  }
  return template;
};

/** @returns a function that writes the rows with new ids. The template's Idempotency-Key becomes `key`. */
export const rowWriter = (template: readonly TemplateRow[]) => {
  const statements = template.map(({ table, columns }) => {
    const names = columns.map(({ name }) => `"${name}"`).join(', ');
    const places = columns.map((_, at) => `$${at + 1}`).join(', ');
    return { text: `insert into "${table}" (${names}) values (${places})`, columns };
  });
  return async (client: ClientBase, key: string): Promise<string> => {
    const ids = new Map<unknown, string>();
    const idFor = (was: unknown): string => {
      const id = ids.get(was) ?? randomUUID();
      ids.set(was, id);
      return id;
    };
    for (const { text, columns } of statements) {
      const values = columns.map(({ name, value, fresh }) =>
        name === 'key' ? key : fresh ? idFor(value) : value,
      );
      await client.query(text, values);
    }
    return [...ids.values()][0] ?? '';
  };
};
