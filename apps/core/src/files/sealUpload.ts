import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { sealedKey } from '@evaluation/object-store';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import type { Upload } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/platform/signed-actor';
import { createTurns, NoTurn } from '@evaluation/platform/turns';
import { isUuid } from '../command/accept.ts';
import type { Services } from '../command/services.ts';

/*
 * States of an upload: pending → inspecting → ready | rejected (docs/architecture.md#uploads).
 *
 * The first read after the PUT seals the upload: a server-side copy of exactly the object that was read, under a key
 * that no upload URL reaches. Only the sealed copy is used afterwards, so a later PUT has no effect. Two concurrent
 * first reads make two copies; the row keeps one, and the other is deleted. If the process dies after sealing, the row
 * is `inspecting`, and the dispatcher releases its inspection.
 */

/** Pause between two reads, because the end of the inspection may be recorded by another replica. */
const POLL_MS = 100;

/** Bounds concurrent copies of up to 50 MB. An upload without a turn in time is sealed by the next read. */
const sealing = createTurns({
  what: 'the object store',
  places: 16,
  share: 4,
  mostWaiting: 1000,
  waitMs: 5000,
});

/** The first read after the PUT seals the upload and waits for its inspection. @throws DomainFailure not_found */
export const sealUpload = async (
  services: Services,
  actor: Actor,
  uploadId: string,
  waitSeconds = services.settings.inspectionWaitSeconds,
): Promise<Upload> => {
  let upload = await findUpload(services, actor, uploadId);
  if (upload.status === 'pending') {
    const sealed = await seal(services, upload);
    if (sealed === 'not sealed') return { id: upload.id, status: 'pending' };
    upload =
      sealed === 'by this call'
        ? { ...upload, status: 'inspecting' }
        : await findUpload(services, actor, uploadId);
  }
  const inspected = { institute_id: upload.institute_id, upload_id: upload.id };
  const giveUpAt = Date.now() + waitSeconds * 1000;
  while (upload.status === 'inspecting' && Date.now() < giveUpAt) {
    await services.inspections.untilEnd(inspected, POLL_MS);
    upload = await findUpload(services, actor, uploadId);
  }
  if (upload.status === 'ready' || upload.status === 'rejected') services.inspections.noteEnd(inspected);
  return {
    id: upload.id,
    status: upload.status === 'inspecting' ? 'pending' : upload.status,
    ...(upload.pages === null ? {} : { pages: upload.pages }),
    ...(upload.reject_reason === null ? {} : { reject_reason: upload.reject_reason }),
  };
};

const findUpload = async (services: Services, actor: Actor, uploadId: string) => {
  const upload = isUuid(uploadId)
    ? await services.database.inTenant(actor.institute_id, (tx) =>
        tx
          .selectFrom('uploads')
          .select(['id', 'institute_id', 'status', 'object_key', 'size_bytes', 'pages', 'reject_reason'])
          .where('institute_id', '=', actor.institute_id)
          .where('id', '=', uploadId)
          .executeTakeFirst(),
      )
    : undefined;
  if (upload === undefined) throw new DomainFailure('not_found');
  return upload;
};

type Unsealed = { id: string; institute_id: string; object_key: string; size_bytes: number };

/** `not sealed`: no object of `size_bytes` is there, it was replaced meanwhile, or no turn came in time. */
type Sealed = 'by this call' | 'by another call' | 'not sealed';

const seal = async (services: Services, upload: Unsealed): Promise<Sealed> => {
  let giveBack: () => void;
  try {
    giveBack = await sealing.acquire(upload.institute_id);
  } catch (error) {
    if (error instanceof NoTurn) return 'not sealed';
    throw error;
  }
  try {
    return await sealInTurn(services, upload);
  } finally {
    giveBack();
  }
};

const sealInTurn = async (services: Services, upload: Unsealed): Promise<Sealed> => {
  const object = await services.objects.head(upload.object_key);
  if (object === null || object.sizeBytes !== upload.size_bytes) return 'not sealed';
  const sealed = `${sealedKey(upload.institute_id, upload.id)}-${randomUUID()}`;
  // The object was replaced between `head` and `copy`; the next read seals the new one.
  if ((await services.objects.copy(upload.object_key, sealed, { ifMatch: object.etag })) === null)
    return 'not sealed';

  const won = await services.database.inTenant(upload.institute_id, (tx) =>
    tx
      .updateTable('uploads')
      .set({
        status: 'inspecting',
        sealed_key: sealed,
        inspect_waits_since: sql<Date>`clock_timestamp()`,
      })
      .where('institute_id', '=', upload.institute_id)
      .where('id', '=', upload.id)
      .where('status', '=', 'pending')
      .returning('id')
      .executeTakeFirst(),
  );
  if (won !== undefined) services.wakeDispatcher('inspect');
  // Deletes the uploaded object if this call sealed it, or the copy of this call if another call sealed it.
  await discard(services, won === undefined ? sealed : upload.object_key);
  return won === undefined ? 'by another call' : 'by this call';
};

/** Deletes an object, best effort: an object that stays only takes space. */
const discard = async (services: Services, key: string): Promise<void> => {
  try {
    await services.objects.delete([key]);
  } catch (error) {
    services.log.warn({ err: error }, 'deleting an unneeded object failed; it stays in the store');
  }
};
