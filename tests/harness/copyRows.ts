import type pg from 'pg';

/** Columns that differ from the template row, as SQL over `t` (the template) and `n` (rows of `source`). */
type Change = Record<string, string>;

/**
 * Inserts a copy of a template row for each row of `source`, to fill tables by SQL.
 * @param template condition that finds the template rows
 * @param source a select
 */
export const copyRows = async (
  tables: pg.Client,
  table: string,
  template: string,
  source: string,
  change: Change,
): Promise<void> => {
  const { rows } = await tables.query<{ name: string }>(
    `select column_name as name from information_schema.columns where table_schema = 'public' and table_name = $1`,
    [table],
  );
  const columns = rows.map(({ name }) => name);
  await tables.query(
    `insert into ${table} (${columns.map((name) => `"${name}"`).join(', ')})
     select ${columns.map((name) => change[name] ?? `t."${name}"`).join(', ')}
     from (${source}) n cross join (select * from ${table} where ${template}) t`,
  );
};
