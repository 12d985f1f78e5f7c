import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import { redrawnCopyKey } from '@evaluation/object-store';
import * as z from 'zod/v4';
import { failure } from '../command/failures.ts';
import type { Services } from '../command/services.ts';
import { discardCopies, storeCheckedCopy } from './storeCheckedCopy.ts';
import { DrawingJob, LARGEST_COUNT } from './claimDrawing.ts';
import type { PagePictures } from '../command/workerCalls/workerInput.ts';
import { ClaimToken, sha256Of } from '../command/workerCalls/claimToken.ts';
import { GIVEN_UP, putOff, wantAgain } from './drawings.ts';

export const BegunDrawing = DrawingJob.extend({
  attempt: z.int().min(1).lte(LARGEST_COUNT),
  token: ClaimToken,
});
export type BegunDrawing = z.infer<typeof BegunDrawing>;

/** Lifetime of the presigned address; a worker starts its upload as soon as it has the address. */
const PUT_SECONDS = 120;

const keyOf = ({ institute_id, submission_id, delivery, attempt }: BegunDrawing): string =>
  redrawnCopyKey(institute_id, submission_id, delivery, attempt);

/**
 * Presigns the PUT of a drawing. Each attempt has an object key of its own, so that attempts do not overwrite each
 * other's files.
 * @throws DomainFailure conflict if another worker holds the drawing
 */
export const presignDrawing = async (
  services: Services,
  drawing: BegunDrawing,
  sizeBytes: number,
): Promise<{ url: string; headers: Record<string, string> }> => {
  await services.database.inTenant(drawing.institute_id, (tx) => requireHeld(tx, drawing));
  return services.objects.presignPut(keyOf(drawing), {
    sizeBytes,
    contentType: 'application/pdf',
    expiresInSeconds: PUT_SECONDS,
  });
};

/**
 * Stores the drawing as the checked copy if the marks are unchanged; otherwise requests it again. `updated_at` of the
 * submission moves, so that clients of the feed see the submission again with its new copy.
 * @throws DomainFailure conflict if another worker holds the drawing; Error if the file is not in the object store
 */
export const recordDrawing = async (
  services: Services,
  drawing: BegunDrawing,
  { revision, pictures }: { revision: number; pictures: PagePictures },
): Promise<void> => {
  const key = keyOf(drawing);
  const object = await services.objects.head(key);
  if (object === null)
    throw new Error(`drawing of submission ${drawing.submission_id} is not in the object store`);
  const superseded = await services.database.inTenant(drawing.institute_id, async (tx) => {
    const submission = await tx
      .selectFrom('submissions')
      .select(['id', 'marks_revision'])
      .where('institute_id', '=', drawing.institute_id)
      .where('id', '=', drawing.submission_id)
      .forUpdate()
      .executeTakeFirst();
    await requireHeld(tx, drawing);
    if (submission?.marks_revision !== revision) {
      await wantAgain(tx, drawing);
      return [];
    }
    const earlier = await storeCheckedCopy(tx, {
      institute_id: drawing.institute_id,
      submission_id: submission.id,
      marks_revision: revision,
      object_key: key,
      size_bytes: object.sizeBytes,
      pictures,
    });
    await tx
      .deleteFrom('copy_drawings')
      .where('institute_id', '=', drawing.institute_id)
      .where('submission_id', '=', submission.id)
      .execute();
    await tx
      .updateTable('submissions')
      .set({ updated_at: sql<Date>`updated_at` })
      .where('institute_id', '=', drawing.institute_id)
      .where('id', '=', submission.id)
      .execute();
    return earlier;
  });
  // The lane has room for another drawing.
  services.wakeDispatcher('draw');
  await discardCopies(services, superseded);
};

/**
 * Hands a claimed drawing back, because the worker stops or cannot reach the store. The attempt does not count.
 * @throws DomainFailure conflict if another worker holds the drawing
 */
export const handBackDrawing = async (services: Services, drawing: BegunDrawing): Promise<void> => {
  await services.database.inTenant(drawing.institute_id, async (tx) => {
    await requireHeld(tx, drawing);
    await wantAgain(tx, drawing, 1);
  });
  services.wakeDispatcher('draw');
};

/**
 * Records a failure caused by the copy: it is tried again after a pause, MAX_ATTEMPTS times in all.
 * @throws DomainFailure conflict if another worker holds the drawing
 */
export const failDrawing = async (services: Services, drawing: BegunDrawing): Promise<void> => {
  const isGivenUp = await services.database.inTenant(drawing.institute_id, async (tx) => {
    await requireHeld(tx, drawing);
    return putOff(tx, drawing, true);
  });
  services.wakeDispatcher('draw');
  if (isGivenUp) services.log.warn({ id: drawing.submission_id, lane: 'draw' }, GIVEN_UP);
};

const requireHeld = async (tx: Tx, drawing: BegunDrawing): Promise<void> => {
  const held = await tx
    .selectFrom('copy_drawings')
    .select('submission_id')
    .where('institute_id', '=', drawing.institute_id)
    .where('submission_id', '=', drawing.submission_id)
    .where('delivery', '=', drawing.delivery)
    .where('claim_token_delivery', '=', drawing.delivery)
    .where('claim_token_sha256', '=', sha256Of(drawing.token))
    .executeTakeFirst();
  if (held === undefined) {
    throw failure('drawing_not_held');
  }
};
