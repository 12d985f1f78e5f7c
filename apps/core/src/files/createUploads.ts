import { uploadKey } from '@evaluation/object-store';
import { UploadsCreate, type UploadsCreated } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/platform/signed-actor';
import { accept } from '../command/accept.ts';
import { newId } from '../command/newId.ts';
import type { Services } from '../command/services.ts';

const VALID_SECONDS = 3600;

/**
 * Signs one PUT for each file, bound to its exact size and type.
 * @param options.readsHeading the numbers at the top of the first page are read (`headings.ts`)
 * @throws DomainFailure validation_failed
 */
export const createUploads = async (
  services: Services,
  actor: Actor,
  body: unknown,
  { readsHeading = false } = {},
): Promise<UploadsCreated> => {
  const { files } = accept(UploadsCreate, body);
  const rows = files.map((file) => {
    const id = newId();
    return {
      ...file,
      id,
      institute_id: actor.institute_id,
      object_key: uploadKey(actor.institute_id, id),
      heading_wanted: readsHeading,
    };
  });
  const uploads = await Promise.all(
    rows.map(async (row) => {
      const { url, headers } = await services.objects.presignPut(row.object_key, {
        sizeBytes: row.size_bytes,
        contentType: row.content_type,
        expiresInSeconds: VALID_SECONDS,
        byClient: true,
      });
      return { id: row.id, upload_url: url, headers, status: 'pending' as const };
    }),
  );
  await services.database.inTenant(actor.institute_id, (tx) =>
    tx.insertInto('uploads').values(rows).execute(),
  );
  return { uploads };
};
