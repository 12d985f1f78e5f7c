import type { Observer } from '../site/observer.ts';
import type { FeedReader } from '../clients/feedReader.ts';

/** The rows that the reader of the feed has equal the submissions in the database. */
export const feedMissesNothing = async (
  observer: Observer,
  feed: FeedReader,
  instituteId: string,
): Promise<string[]> => {
  const rows = await observer.query<{ id: string; state: string; status: string; updated_at: Date }>(
    `select id::text, state::text, status::text, updated_at from submissions where institute_id = $1`,
    [instituteId],
  );
  const violations = rows.flatMap((row) => {
    const read = feed.rows.get(row.id);
    if (read === undefined) return [`the feed never showed ${row.id}`];
    const is = `${row.state} ${row.status} ${row.updated_at.toISOString()}`;
    const shown = `${read.state} ${read.status} ${new Date(read.updated_at).toISOString()}`;
    return is === shown ? [] : [`the feed shows ${row.id} as ${shown}; it is ${is}`];
  });
  return feed.rows.size > rows.length
    ? [...violations, 'the feed showed a submission that does not exist']
    : violations;
};
