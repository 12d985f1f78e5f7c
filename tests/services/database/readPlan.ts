/** What a statement read, according to its plan. */
export interface PlanReading {
  /** Names of the used indexes, each once, in order. */
  indexes: string[];
  /** Names of the sequentially scanned tables, each once, in order. */
  scanned: string[];
  /** Highest number of rows handled by one step, including rows filtered out. */
  mostRows: number;
  /** Rows read from tables and indexes, including rows filtered out. */
  rowsRead: number;
  shown: number;
}

/**
 * Reads the first row of `explain (analyze, format json)`, so that a test can check the indexes and rows of a
 * statement. Execute the statement as the service does, in a tenant's transaction.
 * @throws Error when the row holds no plan
 */
export const readPlan = (row: object | undefined): PlanReading => {
  const explained: unknown = row === undefined ? undefined : Reflect.get(row, 'QUERY PLAN');
  const first: unknown = Array.isArray(explained) ? explained[0] : undefined;
  const root = typeof first === 'object' && first !== null ? Reflect.get(first, 'Plan') : undefined;
  const nodes = nodesOf(root);
  const [outcome] = nodes;
  if (outcome === undefined) throw new Error('the row holds no plan');
  const read = nodes.filter((node) => node.table !== null);
  return {
    indexes: namesOf(nodes.map(({ index }) => index)),
    scanned: namesOf(nodes.map(({ kind, table }) => (kind === 'Seq Scan' ? table : null))),
    mostRows: Math.max(...nodes.map(({ handled }) => handled)),
    rowsRead: read.reduce((sum, { handled }) => sum + handled, 0),
    shown: outcome.shown,
  };
};

interface PlanNode {
  kind: string;
  index: string | null;
  table: string | null;
  shown: number;
  handled: number;
}

const nodesOf = (node: unknown): PlanNode[] => {
  if (typeof node !== 'object' || node === null) return [];
  const text = (key: string): string | null => {
    const value: unknown = Reflect.get(node, key);
    return typeof value === 'string' ? value : null;
  };
  const number = (key: string): number => {
    const value: unknown = Reflect.get(node, key);
    return typeof value === 'number' ? value : 0;
  };
  const below: unknown = Reflect.get(node, 'Plans');
  const shown = number('Actual Rows');
  return [
    {
      kind: text('Node Type') ?? '',
      index: text('Index Name'),
      table: text('Relation Name'),
      shown,
      handled:
        (shown + number('Rows Removed by Filter') + number('Rows Removed by Index Recheck')) *
        number('Actual Loops'),
    },
    ...(Array.isArray(below) ? below.flatMap(nodesOf) : []),
  ];
};

const namesOf = (names: readonly (string | null)[]): string[] =>
  [...new Set(names.filter((name) => name !== null))].toSorted();
