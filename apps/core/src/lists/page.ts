import { sql, type RawBuilder } from 'kysely';
import type { Tx } from '@evaluation/database';
import { readCursor, writeCursor, type CursorScope, type Position } from './cursor.ts';
import { endOfPass } from './pass.ts';

/**
 * The one way to page (docs/api/conventions.md#lists): rows in the order of `(updated_at, id)`, after the cursor's position.
 * A row that changes while a client pages moves to the end and is seen there; a row that does not is seen once. The pages
 * of a pass (pass.ts) end soon after its start, so a row that changes later is seen in the next pass.
 */

export interface ListRequest {
  limit?: string | undefined;
  cursor?: string | undefined;
  updated_since?: string | undefined;
}

export interface Page {
  /** Rows to ask for: one more than is shown, which tells whether there are more. */
  rows: number;
  limit: number;
  /** Condition on the row's `updated_at` and `id`, given as SQL. */
  where: (updatedAt: RawBuilder<unknown>, id: RawBuilder<unknown>) => RawBuilder<boolean>;
  /**
   * The pass that the page begins or goes on with. Null: the list is read once and has no next pass, or its cursor comes
   * from the release before, whose cursors carry no start.
   */
  pass: 'begins' | { startedAt: string } | null;
  scope: CursorScope;
  signingKeys: readonly string[];
}

/**
 * @param options.filters what the list is filtered by besides `updated_since`; a cursor is bound to all of it
 * @throws DomainFailure invalid_cursor
 */
export const openPage = (
  request: ListRequest,
  options: {
    instituteId: string;
    list: string;
    filters?: CursorScope['filters'];
    defaultLimit: number;
    /** Every reading of the list is a pass. Other lists are read in passes when `updated_since` is given. */
    isFeed?: boolean;
    /** The first signs; a cursor by any of them is read. */
    signingKeys: readonly string[];
  },
): Page => {
  const { updated_since: since } = request;
  const scope: CursorScope = {
    instituteId: options.instituteId,
    list: options.list,
    filters: { ...options.filters, updated_since: since },
  };
  const after = request.cursor === undefined ? null : readCursor(request.cursor, scope, options.signingKeys);
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

/**
 * The list envelope of the rows that were found. @param tx the transaction that found them
 * @param positionOf where a cursor after the item stands
 */
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

/** When the transaction began, by the clock that stamps `updated_at`: before the first page was read. */
const startOf = async (tx: Tx): Promise<string> => {
  const { rows } = await sql<{ started_at: Date }>`select now() as started_at`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error('the database does not tell the time');
  return row.started_at.toISOString();
};
