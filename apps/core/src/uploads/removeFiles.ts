import { sql } from 'kysely';
import { jittered } from '@evaluation/backoff';
import { checkedCopyPrefix, sealedKey } from '@evaluation/object-store';
import type { Services } from '../services.ts';
import { forgetFiles } from './exhaustingFiles.ts';
import { startRounds, type Rounds } from '../rounds.ts';
import { unreachable } from '../unreachable.ts';

/*
 * Takes files out of the store that nothing needs (docs/api/uploads.md#rules; `FILE_RETENTION_DAYS`).
 *
 * - Once in an upload's life it is tidied: what a late PUT left at the client's address, and sealed copies of first
 *   reads that lost or died before they could say so (see sealUpload.ts).
 * - An upload that no submission took within the retention time is rejected, in a transaction of its own, before its
 *   file goes: a submission that races with this either has it or is told to upload again.
 * - The files of an upload that was so rejected, and those of a deleted submission with its checked copies, are deleted
 *   in a later round, when every request that could still be sealing or signing is long over.
 *
 * No state but the rows. Any replica does it, several at once delete the same files twice, which harms nothing; one that
 * dies leaves rows that are not marked as done, and the next round does them again.
 */

/** An address is good for an hour, and a slow PUT may begin at its end. */
const LATE_PUT_HOURS = 2;
/** No request or signed PUT of a worker lives as long: what nobody changed for this time, nobody is about to. */
const QUIET_MINUTES = 15;
const BATCH = 100;
/** Of one round: what is left waits for the next. */
const MAX_BATCHES = 20;
/** Deletions under way at once; the store has more important things to do. */
const AT_ONCE = 4;

/** What a round works with. */
export type Needed = Pick<Services, 'database' | 'objects' | 'settings' | 'log'>;

/** Begins rounds: a slow store is slow for them alone. */
export const startFileRemoval = (services: Needed): Rounds =>
  startRounds(services.log, {
    what: 'removing files',
    pauseMs: () => jittered(services.settings.files.roundSeconds * 1000),
    round: (signal) => removeFiles(services, signal),
  });

/** One round. Never rejects: what breaks is logged, and left to the next round. */
export const removeFiles = async (services: Needed, signal: AbortSignal): Promise<void> => {
  // Each by itself: what breaks one must not stop the others. Tidying last: what is removed need not be tidied.
  for (const part of [rejectUnclaimed, removeUnneeded, tidy, forgetFiles]) {
    try {
      for (let batch = 0; batch < MAX_BATCHES && !signal.aborted; batch += 1) {
        if ((await part(services, signal)) < BATCH) break;
      }
    } catch (error) {
      if (!signal.aborted) {
        services.log.warn({ err: error }, 'files could not be removed; the next round tries again');
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

/** What is left behind by PUTs and first reads. @returns how many uploads are done */
const tidy = async (services: Needed, signal: AbortSignal): Promise<number> => {
  const due = await services.database.acrossInstitutes((tx) => untidy.execute(tx));
  return eachOf(services, due.rows, signal, async (upload) => {
    const sealed = await keysUnder(services, sealedKey(upload.institute_id, upload.id), signal);
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

// `now()`, and not the moving clock, which no index could be asked for.

/**
 * Uploads whose address is dead and whose sealed copy is known; one that was never read lies at its address alone.
 * Statements by themselves, so that a test can look at their plans.
 */
export const untidy = sql<Row>`
  select id, institute_id, object_key, sealed_key, submission_id from uploads
  where tidied_at is null and sealed_key is not null
    and created_at < now() - make_interval(hours => ${LATE_PUT_HOURS})
    and updated_at < now() - make_interval(mins => ${QUIET_MINUTES})
  order by created_at limit ${BATCH}`;

/** From here on no submission can take them. @returns how many */
const rejectUnclaimed = async (services: Needed): Promise<number> => {
  const { retentionDays } = services.settings.files;
  const rejected = await services.database.acrossInstitutes((tx) =>
    sql`
      update uploads set status = 'rejected', pages = null,
        reject_reason = ${`The file was removed, because no submission used it within ${retentionDays} days. Upload it again.`}
      where id in (
        select id from uploads
        where files_removed_at is null and unneeded_since < now() - make_interval(days => ${retentionDays})
          and submission_id is null and status <> 'rejected'
        order by unneeded_since limit ${BATCH} for update skip locked)
      returning id`.execute(tx),
  );
  return rejected.rows.length;
};

/** Files of uploads that were never claimed, and of deleted submissions. @returns how many uploads are done */
const removeUnneeded = async (services: Needed, signal: AbortSignal): Promise<number> => {
  const due = await services.database.acrossInstitutes((tx) =>
    unneeded(services.settings.files.retentionDays).execute(tx),
  );
  return eachOf(services, due.rows, signal, async (upload) => {
    const { institute_id, id, object_key, submission_id } = upload;
    const prefixes = [
      sealedKey(institute_id, id),
      ...(submission_id === null ? [] : [checkedCopyPrefix(institute_id, submission_id)]),
    ];
    const found = await Promise.all(prefixes.map((prefix) => keysUnder(services, prefix, signal)));
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

/** A submission that has taken an upload leaves `unneeded_since` null for as long as it is not deleted. */
export const unneeded = (retentionDays: number) => sql<Row>`
  select id, institute_id, object_key, sealed_key, submission_id from uploads
  where files_removed_at is null and unneeded_since < now() - make_interval(days => ${retentionDays})
    and (submission_id is not null or status = 'rejected')
    and updated_at < now() - make_interval(mins => ${QUIET_MINUTES})
  order by unneeded_since limit ${BATCH}`;

const keysUnder = async (services: Needed, prefix: string, signal: AbortSignal): Promise<string[]> => {
  const keys: string[] = [];
  for await (const key of services.objects.list(prefix, { signal })) keys.push(key);
  return keys;
};

/** A touch: what was changed a moment ago is left in peace for a while. */
const putLast = (services: Needed, row: Row) =>
  services.database.inTenant(row.institute_id, (tx) =>
    sql`update uploads set updated_at = updated_at
        where institute_id = ${row.institute_id} and id = ${row.id}`.execute(tx),
  );

/**
 * Does each, a few at a time. One that fails does not stop the others, unless it tells that nobody is there to ask.
 * @returns how many were looked at
 * @throws the last failure, when nobody was there
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
        // Behind the others: a file that cannot be deleted must not stand at the head of every batch.
        services.log.warn(
          { err: error, upload_id: row.id },
          'files could not be removed; they are tried again later',
        );
        await putLast(services, row);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, takeTurns));
  if (failures.length > 0) throw failures.at(-1);
  return rows.length;
};
