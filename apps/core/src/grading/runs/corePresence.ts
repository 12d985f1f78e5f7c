import { sql } from 'kysely';
import type { Services } from '../../command/services.ts';

/** Ticks that a presence without gaps may miss. */
const MISSED_TICKS = 3;

/**
 * Records that a core reaches PostgreSQL, and returns whether expired leases may be judged. A worker cannot extend its
 * lease while no core reaches PostgreSQL, so a lease that expired in such a gap does not show that its worker has died:
 * leases are judged only when cores have reached PostgreSQL for a whole lease time.
 *
 * State: one row of `core_presence`, which the ticks of all replicas share. A replica that has just started therefore
 * judges leases if another replica ran before. A gap shorter than the pause between two heartbeats, a third of a lease,
 * is no gap: the worker's next heartbeat arrives before its lease expires. After a crash of all replicas the next tick
 * finds an old `seen_at` and begins again.
 */
export const noteCorePresence = async ({ database, settings }: Services): Promise<boolean> => {
  const { leaseSeconds, tickMs } = settings.runs;
  const longestGapSeconds = Math.max(leaseSeconds / 3, (MISSED_TICKS * tickMs) / 1000);
  const { rows } = await database.acrossInstitutes((tx) =>
    sql<{ is_steady: boolean }>`
      insert into core_presence as noted (id, steady_since, seen_at)
      values (1, clock_timestamp(), clock_timestamp())
      on conflict (id) do update set seen_at = clock_timestamp(),
        steady_since = case
          when noted.seen_at < clock_timestamp() - make_interval(secs => ${longestGapSeconds}) then clock_timestamp()
          else noted.steady_since end
      returning steady_since <= clock_timestamp() - make_interval(secs => ${leaseSeconds}) as is_steady`.execute(
      tx,
    ),
  );
  return rows[0]?.is_steady === true;
};
