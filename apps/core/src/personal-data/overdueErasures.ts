import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';

/** Covers a night in which the store is down. An older erasure needs an operator. */
const OVERDUE_HOURS = 24;

/** Counts erasures that made no progress for OVERDUE_HOURS although they were due. */
export const countOverdueErasures = async (tx: Tx): Promise<number> => {
  const { rows } = await sql<{ overdue: number }>`
    select count(*)::int as overdue from erasures
    where settled_at is null and requested_at < now() - make_interval(hours => ${OVERDUE_HOURS})
      and (files_removed_at is null or files_removed_at < now() - make_interval(hours => ${OVERDUE_HOURS}))`.execute(
    tx,
  );
  return rows[0]?.overdue ?? 0;
};
