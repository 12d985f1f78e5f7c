import { sql, type RawBuilder } from 'kysely';
import { jittered } from '@evaluation/platform/backoff';
import { checkedCopyPrefix, sealedKey } from '@evaluation/object-store';
import type { Services } from '../command/services.ts';
import { dueByRetention } from '../command/retention.ts';
import { startRounds, type Rounds } from '../command/rounds.ts';
import { unreachable } from '../command/unreachable.ts';

/*
 * Removes files that are not needed from the object store (docs/api/uploads.md#rules). The retention time is
 * `FILE_RETENTION_DAYS`, or the fewer days of the institute.
 *
 * - Each upload is tidied once: files of late PUTs at the upload URL are deleted, and sealed copies of first reads that
 *   lost a race or died before they updated the row (see sealUpload.ts).
 * - An upload without a submission after the retention time is rejected in one transaction before its file is deleted:
 *   a concurrent submission either takes the upload or is refused.
 * - Files of uploads rejected in this way, and of deleted submissions with their checked copies, are deleted in a later
 *   round. By then every request that could still seal or sign them has ended.
 *
 * State: the rows only. Every replica removes files; deleting a file twice is harmless. After a crash the next round
 * repeats unmarked rows.
 */

/** An upload URL is valid for an hour, and a slow PUT may start at its end. */
const LATE_PUT_HOURS = 2;
/** Longer than any request or signed PUT of a worker: a row unchanged for this time is not in use. */
const QUIET_MINUTES = 15;
const BATCH = 100;
/** Bound of one round; later rounds remove the rest. */
const MAX_BATCHES = 20;
/** Concurrent deletions; a low number leaves the store's capacity to requests. */
const AT_ONCE = 4;

export type Needed = Pick<Services, 'database' | 'objects' | 'settings' | 'log'>;

/** Starts the rounds. They run apart from the dispatcher, so that a slow store does not delay it. */
export const startFileRemoval = (services: Needed): Rounds =>
  startRounds(services.log, {
    what: 'removing files',
    pauseMs: () => jittered(services.settings.files.roundSeconds * 1000),
    round: (signal) => removeFiles(services, signal),
  });

/** Runs one round. Does not reject: errors are logged, and the next round tries again. */
export const removeFiles = async (services: Needed, signal: AbortSignal): Promise<void> => {
  // An error in one part does not stop the others. `tidy` follows the removals, because removed uploads need no
  // tidying.
  const { retentionDays } = services.settings.files;
  const parts: readonly Part[] = [
    ...unclaimed(retentionDays).map(rejectUnclaimed),
    ...unneeded(retentionDays).map(removeUnneeded),
    tidy,
  ];
  for (const part of parts) {
    try {
      for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch += 1) {
        if ((await part(services, signal)) < BATCH) break;
      }
    } catch (error) {
      if (!signal.aborted) {
        services.log.warn({ err: error }, 'removing files failed; the next round tries again');
      }
    }
  }
};

interface Row {
  id: string;
  institute_id: string;
  object_key: string;
  sealed_key: string | null;
  submission_id: string | null;
}

/** Handles up to BATCH rows. @returns how many were handled */
type Part = (services: Needed, signal: AbortSignal) => Promise<number>;

/** Tidies uploads after late PUTs and abandoned first reads. @returns how many were handled */
const tidy = async (services: Needed, signal: AbortSignal): Promise<number> => {
  const due = await services.database.acrossInstitutes((tx) => untidy.execute(tx));
  return eachOf(services, due.rows, signal, async (upload) => {
    const sealed = await Array.fromAsync(
      services.objects.list(sealedKey(upload.institute_id, upload.id), { signal }),
    );
    const stale = sealed.filter((key) => key !== upload.sealed_key);
    await services.objects.delete([upload.object_key, ...stale], { signal });
    await services.database.inTenant(upload.institute_id, (tx) =>
      tx
        .updateTable('uploads')
        .set({ tidied_at: sql<Date>`clock_timestamp()` })
        .where('institute_id', '=', upload.institute_id)
        .where('id', '=', upload.id)
        .execute(),
    );
  });
};

/**
 * Uploads whose URL has expired. Without a sealed copy the object at the URL is the only one, so it is left. `now()`,
 * because an index cannot serve `clock_timestamp()`. Exported for a test of the plans.
 */
export const untidy = sql<Row>`
  select id, institute_id, object_key, sealed_key, submission_id from uploads
  where tidied_at is null and sealed_key is not null
    and created_at < now() - make_interval(hours => ${LATE_PUT_HOURS})
    and updated_at < now() - make_interval(mins => ${QUIET_MINUTES})
  order by created_at limit ${BATCH}`;

/** Rejects uploads without a submission, so that no submission can take them any more. */
const rejectUnclaimed =
  (due: RawBuilder<Unclaimed>): Part =>
  async ({ database }) => {
    const { rows } = await database.acrossInstitutes((tx) =>
      sql`
        update uploads set status = 'rejected', pages = null, heading = null,
          reject_reason = format('The file was removed, because no submission used it within %s %s. Upload it again.',
            found.days, case found.days when 1 then 'day' else 'days' end)
        from (${due}) found where uploads.id = found.id
        returning uploads.id`.execute(tx),
    );
    return rows.length;
  };

interface Unclaimed {
  id: string;
  days: number;
}

const unclaimed = (retentionDays: number) =>
  dueByRetention<Unclaimed>(
    'files_days',
    retentionDays,
    BATCH,
    (days, ofInstitute) => sql`
      select id, ${days} as days from uploads
      where ${ofInstitute} and files_removed_at is null and unneeded_since < now() - make_interval(days => ${days})
        and submission_id is null and status <> 'rejected'
      order by unneeded_since limit ${BATCH} for update skip locked`,
  );

/** Removes the files of rejected uploads and deleted submissions. */
const removeUnneeded =
  (due: RawBuilder<Row>): Part =>
  async (services, signal) => {
    const { rows } = await services.database.acrossInstitutes((tx) => due.execute(tx));
    return eachOf(services, rows, signal, async (upload) => {
      const { institute_id, id, object_key, submission_id } = upload;
      const prefixes = [
        sealedKey(institute_id, id),
        ...(submission_id === null ? [] : [checkedCopyPrefix(institute_id, submission_id)]),
      ];
      const found = await Promise.all(
        prefixes.map((prefix) => Array.fromAsync(services.objects.list(prefix, { signal }))),
      );
      await services.objects.delete([object_key, ...found.flat()], { signal });
      await services.database.inTenant(institute_id, (tx) =>
        tx
          .updateTable('uploads')
          .set({ files_removed_at: sql<Date>`clock_timestamp()`, tidied_at: sql<Date>`clock_timestamp()` })
          .where('institute_id', '=', institute_id)
          .where('id', '=', id)
          .execute(),
      );
    });
  };

/** Uploads whose files are due. `unneeded_since` is null while a submission that is not deleted uses the upload. */
export const unneeded = (retentionDays: number) =>
  dueByRetention<Row>(
    'files_days',
    retentionDays,
    BATCH,
    (days, ofInstitute) => sql`
      select id, institute_id, object_key, sealed_key, submission_id from uploads
      where ${ofInstitute} and files_removed_at is null and unneeded_since < now() - make_interval(days => ${days})
        and (submission_id is not null or status = 'rejected')
        and updated_at < now() - make_interval(mins => ${QUIET_MINUTES})
      order by unneeded_since limit ${BATCH}`,
  );

/** Moves `updated_at`, so that the row is not due again for QUIET_MINUTES. */
const putLast = (services: Needed, row: Row) =>
  services.database.inTenant(row.institute_id, (tx) =>
    sql`update uploads set updated_at = updated_at
        where institute_id = ${row.institute_id} and id = ${row.id}`.execute(tx),
  );

/**
 * Runs `work` for each row, AT_ONCE at a time; a failed row does not stop the others. @returns how many were handled
 * @throws the last error of an unreachable store
 */
const eachOf = async (
  services: Needed,
  rows: readonly Row[],
  signal: AbortSignal,
  work: (row: Row) => Promise<void>,
): Promise<number> => {
  const waiting = [...rows];
  const failures: unknown[] = [];
  const takeTurns = async (): Promise<void> => {
    for (let row = waiting.shift(); row !== undefined && !signal.aborted; row = waiting.shift()) {
      try {
        await work(row);
      } catch (error) {
        if (unreachable(error) !== null || signal.aborted) {
          failures.push(error);
          return;
        }
        // Postponed, so that an undeletable file is not at the head of every batch.
        services.log.warn(
          { err: error, upload_id: row.id },
          'removing the files of an upload failed; a later round tries again',
        );
        await putLast(services, row);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, takeTurns));
  if (failures.length > 0) throw failures.at(-1);
  return rows.length;
};
