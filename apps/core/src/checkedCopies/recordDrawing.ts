import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import { redrawnCopyKey } from '@evaluation/object-store';
import * as z from 'zod/v4';
import { failure } from '../failures.ts';
import type { Services } from '../services.ts';
import { discardCopies, storeCheckedCopy } from './storeCheckedCopy.ts';
import { DrawingJob, LARGEST_COUNT } from './claimDrawing.ts';
import { ClaimToken, isProven } from '../workerCalls/claimToken.ts';
import { GIVEN_UP, putOff, wantAgain } from './drawings.ts';

/** A drawing as the worker that has claimed it names it. */
export const BegunDrawing = DrawingJob.extend({
  attempt: z.int().min(1).lte(LARGEST_COUNT),
  /** None of a worker of release 0.1.0. */
  token: ClaimToken.optional(),
});
export type BegunDrawing = z.infer<typeof BegunDrawing>;

/** The worker PUTs at once. */
const PUT_SECONDS = 120;

const keyOf = ({ institute_id, submission_id, delivery, attempt }: BegunDrawing): string =>
  redrawnCopyKey(institute_id, submission_id, delivery, attempt);

/**
 * Where to PUT the drawing: under a key of this attempt alone, so that nobody overwrites what is recorded.
 * @throws DomainFailure conflict when another worker draws the copy now
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
 * The drawing is the checked copy from now on, if the marks are still those that it shows; else it is wanted again.
 * Clients that follow the feed see the submission again, since its result says that the copy is available.
 * @throws DomainFailure conflict when another worker draws the copy now; Error when it is not in the store
 */
export const recordDrawing = async (
  services: Services,
  drawing: BegunDrawing,
  revision: number,
): Promise<void> => {
  const key = keyOf(drawing);
  const object = await services.objects.head(key);
  if (object === null) throw new Error(`the drawing of ${drawing.submission_id} is not in the store`);
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
  // The next one may have its place.
  services.wakeDispatcher('draw');
  await discardCopies(services, superseded);
};

/**
 * The worker stops, or could not reach the store: that says nothing of the copy, so it does not count.
 * @throws DomainFailure conflict when another worker draws the copy now
 */
export const handBackDrawing = async (services: Services, drawing: BegunDrawing): Promise<void> => {
  await services.database.inTenant(drawing.institute_id, async (tx) => {
    await requireHeld(tx, drawing);
    await wantAgain(tx, drawing, 1);
  });
  services.wakeDispatcher('draw');
};

/**
 * The copy could not be drawn, for a reason of its own: it is tried again after a while, and in the end no more.
 * @throws DomainFailure conflict when another worker draws the copy now
 */
export const failDrawing = async (services: Services, drawing: BegunDrawing): Promise<void> => {
  const isGivenUp = await services.database.inTenant(drawing.institute_id, async (tx) => {
    await requireHeld(tx, drawing);
    return putOff(tx, drawing, true);
  });
  services.wakeDispatcher('draw');
  if (isGivenUp) services.log.warn({ id: drawing.submission_id, lane: 'draw' }, GIVEN_UP);
};

const HOLDING = {
  number: 'delivery',
  tokenNumber: 'claim_token_delivery',
  sha256: 'claim_token_sha256',
};

const requireHeld = async (tx: Tx, drawing: BegunDrawing): Promise<void> => {
  const held = await tx
    .selectFrom('copy_drawings')
    .select('submission_id')
    .where('institute_id', '=', drawing.institute_id)
    .where('submission_id', '=', drawing.submission_id)
    .where('delivery', '=', drawing.delivery)
    .where(isProven(HOLDING, drawing.token))
    .executeTakeFirst();
  if (held === undefined) {
    throw failure('drawing_not_held');
  }
};
