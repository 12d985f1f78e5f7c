import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import pLimit from 'p-limit';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { addUp, MAX_PAGES } from '@evaluation/rules';
import type { Actor } from '@evaluation/platform/signed-actor';
import { failure } from '../command/failures.ts';
import { isUuid, refuse } from '../command/accept.ts';
import type { Services } from '../command/services.ts';
import { sealUpload } from '../files/sealUpload.ts';

const POLL_MS = 100;
/** Bound that leaves database connections to other requests; each seal uses one and copies an object. */
const SEALED_AT_ONCE = 4;

/**
 * Counts the pages of uploads that could all be submitted now (open point `quote-uploads`). A quote may be the first
 * read of an uploaded file: all pending uploads are sealed first, and their inspections are then awaited together, for
 * at most the time of a single one.
 * @param uploadIds distinct ids, in upper or lower case
 * @throws DomainFailure not_found, conflict (used, or not ready), validation_failed (rejected), too_many_pages
 */
export const pagesOfUploads = async (
  services: Services,
  actor: Actor,
  uploadIds: readonly string[],
): Promise<number> => {
  if (!uploadIds.every(isUuid)) throw failure('upload_not_found');
  const ids = uploadIds.map((id) => id.toLowerCase());
  const uploads = await readUploads(services, actor, ids);
  // Checked before any upload is sealed: a request with a foreign id must not change anything.
  if (uploads.length < ids.length) throw failure('upload_not_found');
  if (uploads.some(({ submission_id }) => submission_id !== null)) {
    throw failure('upload_used');
  }

  await sealAll(
    services,
    actor,
    uploads.filter(({ status }) => status === 'pending').map(({ id }) => id),
  );
  const giveUpAt = Date.now() + services.settings.inspectionWaitSeconds * 1000;
  let inspected = await readUploads(services, actor, ids);
  while (inspected.some(({ status }) => status === 'inspecting') && Date.now() < giveUpAt) {
    await wait(POLL_MS);
    inspected = await readUploads(services, actor, ids);
  }
  return pagesOf(ids, inspected);
};

/** Checks the state of all uploads before the contents of a file. */
const pagesOf = (ids: readonly string[], uploads: readonly UploadRow[]): number => {
  if (uploads.some(({ status }) => status === 'pending' || status === 'inspecting')) {
    throw failure('upload_not_ready');
  }
  const rejected = uploads.filter(({ status }) => status === 'rejected');
  if (rejected.length > 0) {
    refuse(
      rejected
        .map(({ id, reject_reason }) => ({ at: ids.indexOf(id), reject_reason }))
        .toSorted((a, b) => a.at - b.at)
        .map(({ at, reject_reason }) => ({
          field: `upload_ids[${at}]`,
          code: 'upload_rejected',
          message: reject_reason ?? 'The file was rejected.',
        })),
    );
  }
  if (uploads.some(({ pages }) => (pages ?? 0) > MAX_PAGES)) throw new DomainFailure('too_many_pages');
  return addUp(uploads.map(({ pages }) => pages ?? 0));
};

interface UploadRow {
  id: string;
  status: 'pending' | 'inspecting' | 'ready' | 'rejected';
  pages: number | null;
  reject_reason: string | null;
  submission_id: string | null;
}

const readUploads = (services: Services, actor: Actor, ids: readonly string[]): Promise<UploadRow[]> =>
  services.database.inTenant(actor.institute_id, (tx) =>
    tx
      .selectFrom('uploads')
      .select(['id', 'status', 'pages', 'reject_reason', 'submission_id'])
      .where('institute_id', '=', actor.institute_id)
      .where('id', '=', sql<string>`any(${ids}::uuid[])`)
      .execute(),
  );

const sealAll = async (services: Services, actor: Actor, ids: readonly string[]): Promise<void> => {
  const limit = pLimit(SEALED_AT_ONCE);
  await Promise.all(ids.map((id) => limit(() => sealUpload(services, actor, id, 0))));
};
