import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { sql } from 'kysely';
import { evidencePackKey } from '@evaluation/object-store';
import { canonicalJson } from '@evaluation/rules';
import type { Tx } from '@evaluation/database';
import { isHeldBy, type HeldRun } from '../../command/locks/heldRun.ts';
import { countLostEvidence } from '../../command/metrics.ts';
import type { Services } from '../../command/services.ts';
import { unreachable } from '../../command/unreachable.ts';
import { encodePart, packParts, type EncodedPart } from './packs.ts';

/*
 * Stores the evidence of readings, alignments and results (docs/evidence.md): one object for all parts of a call of the
 * worker, and for each part a row that links its place in the object to its record.
 *
 * 1. `evidence_since` is set on the run: by its claim, or under its fence by `announceEvidence` if this process did not
 *    grant the claim.
 * 2. The object is written, under a name that is used once.
 * 3. The rows are inserted in the transaction of the records.
 *
 * Commands that end a run, delete its submission or remove evidence therefore see `evidence_since` before the first
 * object exists. If the run is not held any more, or another delivery has made the same records, the object is deleted
 * again. A crash between the steps leaves an object without a row. Such an object is never read and is removed with the
 * evidence of its run. If the object store is unreachable, recording fails and the worker retries; if the store refuses
 * the write, the records are made without evidence.
 */

/** Largest part, and largest object. Replies have at most 1 MB each, and JSON can escape a character as six. */
export const MAX_PART_BYTES = 8 * 1024 * 1024;
const MAX_PACK_BYTES = MAX_PART_BYTES + 2;

const compress = promisify(gzip);

/** A store that refuses one object usually refuses all of them, so the warning is logged at most once a minute. */
const WARN_EVERY_MS = 60_000;
let warnedAt = -Infinity;

export interface StoredPart {
  sha256: string;
  sizeBytes: number;
  /** Id of the object. */
  pack: string;
  offset: number;
}

export interface StoredEvidence {
  /** In the order of the given parts; null for a part that is not kept. */
  parts: (StoredPart | null)[];
  keys: string[];
}

type Needed = Pick<Services, 'database' | 'objects' | 'settings' | 'log' | 'claims'>;

/**
 * Writes parts as objects. @param contents any JSON; undefined for a record without evidence
 * @returns null instead of a part if the settings keep no evidence, if the run is not held, if the part is too large,
 * or if the store refuses the write (for example because of wrong credentials): a mark is recorded even without its
 * evidence
 * @throws errors that `unreachable` recognises; the caller must repeat the records
 */
export const putEvidence = async (
  services: Needed,
  held: HeldRun,
  contents: readonly unknown[],
): Promise<StoredEvidence> => {
  const stored: StoredEvidence = { parts: contents.map(() => null), keys: [] };
  const encoded = services.settings.evidence.retentionDays === 0 ? [] : encode(services, held, contents);
  if (encoded.length === 0) return stored;
  const submissionId = services.claims.submissionOf(held) ?? (await announceEvidence(services, held));
  if (submissionId === null) return stored;
  const { packs, places } = packParts(encoded, MAX_PACK_BYTES);
  const ids = await Promise.all(
    packs.map((pack) => putPack(services, held, submissionId, pack, stored.keys)),
  );
  for (const [index, { sha256, sizeBytes, pack, offset }] of places.entries()) {
    const id = ids[pack];
    const part = encoded[index];
    if (id != null && part !== undefined) stored.parts[part.index] = { sha256, sizeBytes, pack: id, offset };
  }
  return stored;
};

const encode = (
  services: Needed,
  held: HeldRun,
  contents: readonly unknown[],
): (EncodedPart & { index: number })[] =>
  contents.flatMap((content, index) => {
    if (content === undefined) return [];
    const part = encodePart(canonicalJson(content));
    if (part.bytes.length <= MAX_PART_BYTES) return [{ ...part, index }];
    services.log.warn(
      { run_id: held.run_id, bytes: part.bytes.length },
      'evidence is too large and is not kept',
    );
    countLostEvidence('too_large');
    return [];
  });

/** @returns the id of the object; null if the store refuses it */
const putPack = async (
  services: Needed,
  held: HeldRun,
  submissionId: string,
  pack: Buffer,
  keys: string[],
): Promise<string | null> => {
  const id = randomUUID();
  const key = evidencePackKey(held.institute_id, submissionId, held.run_id, id);
  try {
    await services.objects.put(key, await compress(pack), 'application/gzip');
    keys.push(key);
    return id;
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
};

/** Deletes objects to which no row was linked. Best effort: objects that stay are removed with the run's evidence. */
export const discardEvidence = async (
  services: Pick<Services, 'objects' | 'log'>,
  { keys }: StoredEvidence,
): Promise<void> => {
  if (keys.length === 0) return;
  try {
    await services.objects.delete(keys);
  } catch (error) {
    services.log.warn({ err: error }, 'deleting unused evidence failed; it is deleted with its run');
  }
};

/**
 * Sets `evidence_since` before the first object is written; the row lock orders this against stopping the run.
 * @returns the submission's id; null if the run is not held any more
 */
const announceEvidence = async ({ database }: Needed, held: HeldRun): Promise<string | null> => {
  const run = await database.inTenant(held.institute_id, (tx) =>
    tx
      .updateTable('runs')
      .set({ evidence_since: sql<Date>`coalesce(evidence_since, clock_timestamp())` })
      .where('institute_id', '=', held.institute_id)
      .where('id', '=', held.run_id)
      .where(isHeldBy(held))
      .returning('submission_id')
      .executeTakeFirst(),
  );
  return run?.submission_id ?? null;
};

/** Links a generated rubric's part to the rubric, in the transaction that records the rubric. */
export const noteRubricEvidence = async (
  tx: Tx,
  held: HeldRun,
  questionId: string,
  part: StoredPart | null,
): Promise<void> => {
  if (part === null) return;
  await tx
    .insertInto('evidence_parts')
    .values({
      institute_id: held.institute_id,
      run_id: held.run_id,
      kind: 'rubric',
      ref: questionId,
      sha256: part.sha256,
      size_bytes: part.sizeBytes,
      pack: part.pack,
      pack_offset: part.offset,
    })
    .execute();
};
