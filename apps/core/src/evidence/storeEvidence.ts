import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import { evidenceKey } from '@evaluation/object-store';
import { canonicalJson } from '@evaluation/rules';
import { isHeldBy, type HeldRun } from '../locks/heldRun.ts';
import { countLostEvidence } from '../metrics.ts';
import type { Services } from '../services.ts';
import { unreachable } from '../unreachable.ts';

/*
 * What a recorded reading, alignment or result rests on (docs/evidence.md): an object in the store, named by its hash,
 * and a row that says which record it belongs to.
 *
 * First the run is noted as one that has evidence, under its fence; then the object is written, then the row in the
 * transaction of the record. Whoever ends the run, deletes its submission or sweeps finds the note from before the object
 * on. A process that dies between leaves an object without a row, and so does a delivery whose record came second: nobody
 * reads it, and it goes when the evidence of its run does. A store that is away fails the record, which the worker repeats;
 * one that refuses does not.
 */

/** Above any honest part: replies are read up to 1 MB each, and JSON writes some characters as six. */
export const MAX_PART_BYTES = 8 * 1024 * 1024;

const compress = promisify(gzip);

/** A store that refuses one part refuses them all: it is said once a minute. */
const WARN_EVERY_MS = 60_000;
let warnedAt = -Infinity;

export interface StoredPart {
  sha256: string;
  sizeBytes: number;
}

/**
 * Writes a part where it is not yet. @param part any JSON; undefined from a worker of the release before
 * @returns null: there is nothing to keep, the setting says to keep nothing, or the store refuses it, as with credentials
 *   that are not its own any more: the mark is worth more than its proof
 * @throws what `unreachable` knows: the record is to be repeated
 */
export const putEvidence = async (
  services: Pick<Services, 'database' | 'objects' | 'settings' | 'log'>,
  held: HeldRun,
  part: unknown,
): Promise<StoredPart | null> => {
  if (part === undefined || services.settings.evidence.retentionDays === 0) return null;
  const bytes = Buffer.from(canonicalJson(part));
  if (bytes.length > MAX_PART_BYTES) {
    services.log.warn({ run_id: held.run_id, bytes: bytes.length }, 'evidence is too large and is not kept');
    countLostEvidence('too_large');
    return null;
  }
  const submissionId = await announceEvidence(services, held);
  if (submissionId === null) return null;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const object = await compress(bytes);
  try {
    await services.objects.put(
      evidenceKey(held.institute_id, submissionId, held.run_id, sha256),
      object,
      'application/gzip',
    );
  } catch (error) {
    if (unreachable(error) !== null) throw error;
    countLostEvidence('refused');
    if (performance.now() - warnedAt >= WARN_EVERY_MS) {
      warnedAt = performance.now();
      services.log.warn(
        { err: error, run_id: held.run_id },
        'the object store refuses evidence; what is recorded meanwhile cannot be replayed',
      );
    }
    return null;
  }
  return { sha256, sizeBytes: bytes.length };
};

/**
 * Notes that there is evidence of the run, before there is any. Whoever stops the run waits for this, or this finds it
 * stopped. @returns its submission; null: it is not held any more, and the record is about to be refused
 */
const announceEvidence = ({ database }: Pick<Services, 'database'>, held: HeldRun): Promise<string | null> =>
  database.inTenant(held.institute_id, async (tx) => {
    const run = await tx
      .selectFrom('runs')
      .select(['submission_id', 'evidence_since'])
      .where('institute_id', '=', held.institute_id)
      .where('id', '=', held.run_id)
      .where(isHeldBy(held))
      .executeTakeFirst();
    if (run === undefined) return null;
    return run.evidence_since !== null || (await markRunHasEvidence(tx, held)) ? run.submission_id : null;
  });

/** Says which record a part belongs to: in the record's transaction, and only if it is the first of its kind. */
export const noteEvidence = async (
  tx: Tx,
  held: HeldRun,
  record: { kind: 'pages' | 'alignment' | 'question' | 'rubric'; ref: string },
  part: StoredPart | null,
): Promise<void> => {
  if (part === null) return;
  await tx
    .insertInto('evidence_parts')
    .values({
      institute_id: held.institute_id,
      run_id: held.run_id,
      ...record,
      sha256: part.sha256,
      size_bytes: part.sizeBytes,
    })
    .execute();
};

/**
 * From the first part on the run stands among those whose evidence is removed one day (removeEvidence.ts).
 * @returns false: the run is not held any more, and is left as it is
 */
export const markRunHasEvidence = async (tx: Tx, held: HeldRun): Promise<boolean> => {
  const run = await tx
    .updateTable('runs')
    .set({ evidence_since: sql<Date>`coalesce(evidence_since, clock_timestamp())` })
    .where('institute_id', '=', held.institute_id)
    .where('id', '=', held.run_id)
    .where(isHeldBy(held))
    .returning('id')
    .executeTakeFirst();
  return run !== undefined;
};
