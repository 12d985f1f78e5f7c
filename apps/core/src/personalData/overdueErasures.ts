import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';

/** Long enough for a store that was away over a night: what is left after it needs somebody to look. */
const OVERDUE_HOURS = 24;

/** How many erasures stand still although nothing should keep them: an operator has to see why. */
export const countOverdueErasures = async (tx: Tx): Promise<number> => {
  const { rows } = await sql<{ overdue: number }>`
    select count(*)::int as overdue from erasures
    where settled_at is null and requested_at < now() - make_interval(hours => ${OVERDUE_HOURS})
      and (files_removed_at is null or files_removed_at < now() - make_interval(hours => ${OVERDUE_HOURS}))`.execute(
    tx,
  );
  return rows[0]?.overdue ?? 0;
};
