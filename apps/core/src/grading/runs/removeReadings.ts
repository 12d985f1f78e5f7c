import { sql, type RawBuilder } from 'kysely';
import { jittered } from '@evaluation/platform/backoff';
import { dueByRetention } from '../../command/retention.ts';
import { startRounds, type Rounds } from '../../command/rounds.ts';
import type { Services } from '../../command/services.ts';

/*
 * Deletes page readings after `READING_RETENTION_DAYS`, or after the fewer days of their institute. A run needs its
 * readings until it ends, at the latest a day after its first claim, so that it can continue after a crash.
 * Afterwards only an export of the candidate shows them. State: the rows only. Every replica deletes, and each takes
 * other rows.
 */

/** Small, because the readings of one batch of pages may have megabytes. */
const BATCH = 200;
/** Bound of one round; later rounds delete the rest. */
const MAX_BATCHES = 50;

type Needed = Pick<Services, 'database' | 'settings' | 'log'>;

export const startReadingRemoval = (services: Needed): Rounds =>
  startRounds(services.log, {
    what: 'deleting page readings',
    pauseMs: () => jittered(services.settings.files.roundSeconds * 1000),
    round: async (signal) => {
      for (const due of dueReadings(services.settings.readings.retentionDays)) {
        for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch += 1) {
          if ((await removeReadings(services, due)) < BATCH) break;
        }
      }
    },
  });

interface DueReading {
  run_id: string;
  first_page: number;
}

/** Exported for a test of the plans. */
export const dueReadings = (retentionDays: number) =>
  dueByRetention<DueReading>(
    'readings_days',
    retentionDays,
    BATCH,
    (days, ofInstitute) => sql`
      select run_id, first_page from page_readings
      where ${ofInstitute} and created_at < now() - make_interval(days => ${days})
      order by created_at limit ${BATCH} for update skip locked`,
  );

/** @returns the number of deleted rows, at most BATCH */
export const removeReadings = async (
  { database }: Pick<Needed, 'database'>,
  due: RawBuilder<DueReading>,
): Promise<number> => {
  const { rows } = await database.acrossInstitutes((tx) =>
    sql`delete from page_readings where (run_id, first_page) in (${due}) returning 1`.execute(tx),
  );
  return rows.length;
};
