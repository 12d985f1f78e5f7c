import { sql, type RawBuilder } from 'kysely';
import type { Tx } from '@evaluation/database';
import { readCursor, writeCursor, type CursorScope, type Position } from './cursor.ts';
import { endOfPass } from './pass.ts';

/**
 * Pages of a list: rows in the order of `(updated_at, id)`, after the cursor's position. A row that changes while a
 * client pages moves to the end and is returned again; other rows are returned once. The pages of a pass (pass.ts) end
 * soon after its start, so later changes appear in the next pass.
 */

interface ListRequest {
  limit?: string | undefined;
  cursor?: string | undefined;
  updated_since?: string | undefined;
}

export interface Page {
  /** Rows to select: `limit` and one more, which shows whether there is a next page. */
  rows: number;
  limit: number;
  /** Condition on the row's `updated_at` and `id`, given as SQL. */
  where: (updatedAt: RawBuilder<unknown>, id: RawBuilder<unknown>) => RawBuilder<boolean>;
  /** Pass that this page starts or continues. Null in lists without passes. */
  pass: 'begins' | { startedAt: string } | null;
  scope: CursorScope;
  signingKeys: readonly string[];
}

/** @param options.filters filters besides `updated_since` @throws DomainFailure invalid_cursor */
export const openPage = (
  request: ListRequest,
  options: {
    instituteId: string;
    list: string;
    filters?: CursorScope['filters'];
    defaultLimit: number;
    /** True if every reading of the list is a pass. Other lists are read in passes only with `updated_since`. */
    isFeed?: boolean;
    /** The first key signs cursors; cursors signed by any key are accepted. */
    signingKeys: readonly string[];
  },
): Page => {
  const { updated_since: since } = request;
  const scope: CursorScope = {
    instituteId: options.instituteId,
    list: options.list,
    filters: { ...options.filters, updated_since: since },
  };
  // Clients send an empty parameter for one that they leave out.
  const after = request.cursor ? readCursor(request.cursor, scope, options.signingKeys) : null;
  const limit = request.limit === undefined ? options.defaultLimit : Number(request.limit);
  const isPass = options.isFeed === true || since !== undefined;
  const startedAt = after?.pass_started_at;
  return {
    rows: limit + 1,
    limit,
    pass: after === null && isPass ? 'begins' : startedAt === undefined ? null : { startedAt },
    scope,
    signingKeys: options.signingKeys,
    where: (updatedAt, id) => sql<boolean>`
      ${since === undefined ? sql`true` : sql`${updatedAt} >= ${since}::timestamptz`} and
      ${after === null ? sql`true` : sql`(${updatedAt}, ${id}) > (${after.updated_at}::timestamptz, ${after.id}::uuid)`} and
      ${startedAt === undefined ? sql`true` : sql`${updatedAt} <= ${endOfPass(startedAt)}::timestamptz`}`,
  };
};

/** @param tx the transaction that selected the rows */
export const closePage = async <T>(
  tx: Tx,
  page: Page,
  found: readonly T[],
  positionOf: (item: T) => Pick<Position, 'updated_at' | 'id'>,
): Promise<{ data: T[]; next_cursor: string | null; has_more: boolean }> => {
  const data = found.slice(0, page.limit);
  const last = data.at(-1);
  if (found.length <= page.limit || last === undefined)
    return { data, next_cursor: null, has_more: found.length > page.limit };
  const startedAt = page.pass === 'begins' ? await startOf(tx) : page.pass?.startedAt;
  const position = {
    ...positionOf(last),
    ...(startedAt === undefined ? {} : { pass_started_at: startedAt }),
  };
  return {
    data,
    next_cursor: writeCursor(position, page.scope, page.signingKeys[0] ?? ''),
    has_more: true,
  };
};

/** Start of the transaction by the clock that sets `updated_at`; earlier than the first page's select. */
const startOf = async (tx: Tx): Promise<string> => {
  const { rows } = await sql<{ started_at: Date }>`select now() as started_at`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error('select of now() returned no row');
  return row.started_at.toISOString();
};
