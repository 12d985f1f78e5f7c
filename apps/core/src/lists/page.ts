import { sql, type RawBuilder } from 'kysely';
import { readCursor, writeCursor, type CursorScope, type Position } from './cursor.ts';

/**
 * The one way to page (spec chapter 1, Lists): rows in the order of `(updated_at, id)`, after the cursor's position.
 * A row that changes while a client pages moves to the end and is seen there; a row that does not is seen once.
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
  scope: CursorScope;
  signingKeys: readonly string[];
}

/**
 * @param scope.filters what the list is filtered by besides `updated_since`; a cursor is bound to all of it
 * @throws DomainFailure invalid_cursor
 */
export const openPage = (
  request: ListRequest,
  options: {
    instituteId: string;
    list: string;
    filters?: CursorScope['filters'];
    defaultLimit: number;
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
  return {
    rows: limit + 1,
    limit,
    scope,
    signingKeys: options.signingKeys,
    where: (updatedAt, id) => sql<boolean>`
      ${since === undefined ? sql`true` : sql`${updatedAt} >= ${since}::timestamptz`} and
      ${after === null ? sql`true` : sql`(${updatedAt}, ${id}) > (${after.updated_at}::timestamptz, ${after.id}::uuid)`}`,
  };
};

/** The list envelope of the rows that were found. @param positionOf where a cursor after the item stands */
export const closePage = <T>(
  page: Page,
  found: readonly T[],
  positionOf: (item: T) => Position,
): { data: T[]; next_cursor: string | null; has_more: boolean } => {
  const data = found.slice(0, page.limit);
  const last = data.at(-1);
  const hasMore = found.length > page.limit;
  return {
    data,
    next_cursor:
      hasMore && last !== undefined
        ? writeCursor(positionOf(last), page.scope, page.signingKeys[0] ?? '')
        : null,
    has_more: hasMore,
  };
};
