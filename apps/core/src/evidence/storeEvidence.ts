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
 * Stores the evidence of a reading, alignment or result (docs/evidence.md): an object named by its hash, and a row that
 * links it to the record.
 *
 * 1. `evidence_since` is set on the run, under its fence.
 * 2. The object is written.
 * 3. The row is inserted in the transaction of the record.
 *
 * Commands that end a run, delete its submission or remove evidence therefore see `evidence_since` before the first
 * object exists. A crash between the steps, or a record that another delivery made first, leaves an object without a
 * row. Such an object is never read and is removed with the evidence of its run. If the object store is unreachable,
 * recording fails and the worker retries; if the store refuses the write, the record is made without evidence.
 */

/** Largest part. Replies have at most 1 MB each, and JSON can escape a character as six. */
export const MAX_PART_BYTES = 8 * 1024 * 1024;

const compress = promisify(gzip);

/** A store that refuses one part usually refuses all of them, so the warning is logged at most once a minute. */
const WARN_EVERY_MS = 60_000;
let warnedAt = -Infinity;

export interface StoredPart {
  sha256: string;
  sizeBytes: number;
}

/**
 * Writes a part as an object. @param part any JSON; undefined from a worker of the previous release
 * @returns null if there is no part, if the settings keep no evidence, if the run is not held, if the part is too
 * large, or if the store refuses the write (for example because of wrong credentials): a mark is recorded even without
 * its evidence
 * @throws errors that `unreachable` recognises; the caller must repeat the record
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
 * Sets `evidence_since` before the first object is written; the row lock orders this against stopping the run.
 * @returns the submission's id; null if the run is not held any more
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

/** Links a part to its record, in the transaction of the record and only if that is the first record of its kind. */
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

/** Marks the run for `removeEvidence`. @returns false, without a change, if the run is not held any more */
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
