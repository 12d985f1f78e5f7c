import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import { messageId } from '@evaluation/lanes';
import { rejectReason, shownRejection } from '@evaluation/rest-contract/upload-rejections';
import * as z from 'zod/v4';
import { failure } from '../command/failures.ts';
import type { Services } from '../command/services.ts';
import { addExhaustedTime, ExhaustedSeconds, isDayUsedUp } from './exhaustedTime.ts';
import type { JobQueue } from './releaseJobs.ts';
import { ClaimToken, newClaim, sha256Of } from '../command/workerCalls/claimToken.ts';

/** Openings without an outcome after which the file is assumed to crash its inspections. */
const MAX_OPENINGS = 3;
const SOURCE_URL_SECONDS = 600;
/** A worker ends an inspection after INSPECT_SECONDS, so this is the time after which a claimed one is lost. */
const PATIENCE_SECONDS = 30;

/** Uploads with `inspect_waits_since` wait (releaseJobs.ts). An inspected upload is `ready` or `rejected`. */
export const inspections: JobQueue = {
  lane: 'inspect',
  lock: 7_301_122,
  table: 'uploads',
  id: 'id',
  delivery: 'inspect_delivery',
  since: 'inspect_waits_since',
  claimedAt: 'inspect_claimed_at',
  releasedAt: 'inspect_released_at',
  waits: sql`status = 'inspecting' and inspect_waits_since is not null`,
  isReady: sql`true`,
  isOut: sql`status = 'inspecting' and inspect_waits_since is null`,
  release: sql`inspect_waits_since = null, inspect_delivery = inspect_delivery + 1`,
  wait: sql`inspect_waits_since = created_at, inspect_claimed_at = null`,
  patienceSeconds: () => PATIENCE_SECONDS,
  publish: ({ lanes }, { id, institute_id, delivery }) =>
    lanes.publish('inspect', { version: 1, upload_id: id, institute_id, delivery }, messageId(id, delivery)),
  giveUp: (overdue) => sql`
    update uploads set status = 'rejected', reject_reason = ${rejectReason('not_checked')}
    where ${overdue} and inspect_openings >= ${MAX_OPENINGS}
    returning id`,
  givenUp: 'inspections of an upload never ended; the upload was rejected',
};

const LARGEST_DELIVERY = 2 ** 31 - 1;

export const InspectionJob = z.object({
  upload_id: z.uuid(),
  institute_id: z.uuid(),
  delivery: z.int().gte(1).lte(LARGEST_DELIVERY),
});
export const ClaimedInspection = InspectionJob.extend({ token: ClaimToken });
export type ClaimedInspection = z.infer<typeof ClaimedInspection>;

/** Most concurrent claims of one upload: the latest delivery, and earlier deliveries whose workers are slow. */
const MOST_CLAIMS = 8;

/**
 * Returns null if the inspection is done or claimed by another worker. After a lost answer it can be claimed again only
 * with its next delivery.
 */
export const claimInspection = async (
  services: Services,
  job: z.infer<typeof InspectionJob>,
): Promise<{
  source_url: string;
  size_bytes: number;
  token: string;
  /** Numbers at the top of the first page are wanted, after the record. */
  heading_wanted: boolean;
} | null> => {
  const { token, sha256 } = newClaim();
  const upload = await services.database.inTenant(job.institute_id, (tx) =>
    tx
      .updateTable('uploads')
      .set({
        inspect_waits_since: null,
        inspect_claimed_at: sql<Date>`clock_timestamp()`,
        inspect_token_delivery: job.delivery,
        inspect_tokens_sha256: sql<
          string[]
        >`(array[${sha256}::text] || inspect_tokens_sha256)[1:${sql.lit(MOST_CLAIMS)}]`,
      })
      .where('institute_id', '=', job.institute_id)
      .where('id', '=', job.upload_id)
      .where('status', '=', 'inspecting')
      .where('inspect_delivery', '=', job.delivery)
      .where(sql<boolean>`inspect_token_delivery is distinct from inspect_delivery`)
      .returning(['sealed_key', 'size_bytes', 'heading_wanted'])
      .executeTakeFirst(),
  );
  if (upload?.sealed_key == null) return null;
  return {
    source_url: await services.objects.presignGet(upload.sealed_key, {
      expiresInSeconds: SOURCE_URL_SECONDS,
    }),
    size_bytes: upload.size_bytes,
    token,
    heading_wanted: upload.heading_wanted,
  };
};

/**
 * SQL condition: the caller claimed this delivery or an earlier one. A slow inspection may go on after a redelivery,
 * because every inspection of the sealed object has the same outcome.
 */
export const isClaimedBy = (claimed: ClaimedInspection) =>
  sql<boolean>`${sha256Of(claimed.token)}::text = any(inspect_tokens_sha256)`;

const refuseUnlessClaimed = (upload: object | undefined): void => {
  if (upload === undefined) throw failure('inspection_not_held');
};

/**
 * Counts an opening just before the worker opens the file. Rejects the upload if the institute has used up its worker
 * time of the day.
 * @returns whether the worker may open the file
 * @throws DomainFailure conflict if the caller has not claimed the inspection or the upload is inspected already
 */
export const countOpening = async (
  services: Services,
  claimed: ClaimedInspection,
): Promise<{ open: boolean }> => {
  const open = await services.database.inTenant(claimed.institute_id, async (tx) => {
    const { rows } = await sql<{ is_used_up: boolean }>`
      select ${isDayUsedUp(sql`${claimed.institute_id}::uuid`)} as is_used_up`.execute(tx);
    if (rows[0]?.is_used_up === true) {
      await storeOutcome(tx, claimed, { status: 'rejected', reject_reason: rejectReason('day_used_up') });
      return false;
    }
    const counted = await tx
      .updateTable('uploads')
      .set({
        inspect_openings: sql<number>`inspect_openings + 1`,
        inspect_claimed_at: sql<Date>`clock_timestamp()`,
      })
      .where('institute_id', '=', claimed.institute_id)
      .where('id', '=', claimed.upload_id)
      .where('status', '=', 'inspecting')
      .where(isClaimedBy(claimed))
      .returning('id')
      .executeTakeFirst();
    refuseUnlessClaimed(counted);
    return true;
  });
  if (!open) {
    services.inspections.noteEnd(claimed);
    services.wakeDispatcher('inspect');
  }
  return { open };
};

type StoredOutcome =
  | { status: 'ready'; pages: number; sha256: string; repaired: boolean }
  | { status: 'rejected'; reject_reason: string };

/** Above the number of pages of any file within the size limit. */
const MOST_PAGES = 1_000_000;

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);

export const InspectionOutcome = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('ready'),
    pages: z.int().gte(1).lte(MOST_PAGES),
    sha256: Sha256,
    repaired: z.boolean(),
  }),
  z.object({
    status: z.literal('rejected'),
    /** Selects a text of `uploadRejections`; texts of a worker are never shown. */
    code: z.string().max(64),
    page: z.int().gte(1).lte(MOST_PAGES).optional(),
    /** Set if the inspection ran out of time. */
    exhausted_seconds: ExhaustedSeconds.optional(),
  }),
]);
type InspectionOutcome = z.infer<typeof InspectionOutcome>;

/** Stores the outcome. The first one counts; every inspection of the sealed object has the same outcome. */
const storeOutcome = async (tx: Tx, claimed: ClaimedInspection, outcome: StoredOutcome): Promise<void> => {
  const upload = await tx
    .updateTable('uploads')
    .set(outcome)
    .where('institute_id', '=', claimed.institute_id)
    .where('id', '=', claimed.upload_id)
    .where('status', '=', 'inspecting')
    .where(isClaimedBy(claimed))
    .returning('id')
    .executeTakeFirst();
  refuseUnlessClaimed(upload);
};

/** @throws DomainFailure conflict if the caller has not claimed the inspection or the upload is inspected already */
export const recordInspection = async (
  services: Services,
  claimed: ClaimedInspection,
  outcome: InspectionOutcome,
): Promise<void> => {
  const exhausted = outcome.status === 'rejected' ? outcome.exhausted_seconds : undefined;
  await services.database.inTenant(claimed.institute_id, async (tx) => {
    await storeOutcome(
      tx,
      claimed,
      outcome.status === 'ready'
        ? {
            status: outcome.status,
            pages: outcome.pages,
            sha256: outcome.sha256,
            repaired: outcome.repaired,
          }
        : { status: outcome.status, reject_reason: shownRejection(outcome) },
    );
    if (exhausted !== undefined) await addExhaustedTime(tx, claimed.institute_id, exhausted);
  });
  services.inspections.noteEnd(claimed);
  // The lane has room for another inspection.
  services.wakeDispatcher('inspect');
};
