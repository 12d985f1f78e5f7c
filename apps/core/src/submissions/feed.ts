import { sql } from 'kysely';
import { FeedQuery, type SubmissionList } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/signed-actor';
import { accept } from '../accept.ts';
import type { Services } from '../services.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { selectSubmissions } from './representation.ts';

const DEFAULT_LIMIT = 50;

/**
 * What changed, across all exams, replaced and deleted submissions included, in the order of `(updated_at, id)`
 * (spec 4.7, feed rules). @throws DomainFailure validation_failed, invalid_cursor
 */
export const feed = async (services: Services, actor: Actor, query: unknown): Promise<SubmissionList> => {
  const { limit: sentLimit, cursor, updated_since } = accept(FeedQuery, query);
  const limit = sentLimit === undefined ? DEFAULT_LIMIT : Number(sentLimit);
  const scope = { instituteId: actor.institute_id, list: 'submissions', filters: { updated_since } };
  const after = cursor === undefined ? null : readCursor(cursor, scope, services.settings.actorSigningKey);

  const found = await services.database.inTenant(actor.institute_id, (tx) =>
    selectSubmissions(tx, actor.institute_id, {
      where: sql<boolean>`
        ${updated_since === undefined ? sql`true` : sql`s.updated_at >= ${updated_since}::timestamptz`} and
        ${after === null ? sql`true` : sql`(s.updated_at, s.id) > (${after.updated_at}::timestamptz, ${after.id}::uuid)`}`,
      tail: sql`order by s.updated_at, s.id limit ${limit + 1}`,
    }),
  );
  const data = found.slice(0, limit);
  const last = data.at(-1);
  const hasMore = found.length > limit;
  return {
    data,
    next_cursor:
      hasMore && last !== undefined
        ? writeCursor({ updated_at: last.updated_at, id: last.id }, scope, services.settings.actorSigningKey)
        : null,
    has_more: hasMore,
  };
};
