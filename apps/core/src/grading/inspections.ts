import { sql } from 'kysely';
import { messageId } from '@evaluation/lanes';
import type { Services } from '../services.ts';

/** A file that was opened this often and never came back is what kills its inspections. */
const MAX_OPENINGS = 3;
const SOURCE_URL_SECONDS = 600;

/** Puts an inspection into its lane; if that fails now, the dispatcher does it again later. */
export const publishInspection = async (
  services: Services,
  upload: { id: string; institute_id: string; delivery: number },
): Promise<void> => {
  try {
    await services.lanes.publish(
      'inspect',
      { version: 1, upload_id: upload.id, institute_id: upload.institute_id, delivery: upload.delivery },
      messageId(upload.id, upload.delivery),
    );
  } catch (error) {
    services.log.warn({ err: error, upload_id: upload.id }, 'an inspection could not be published yet');
  }
};

/** What a worker needs to inspect an upload; null when it is settled already. */
export const claimInspection = async (
  services: Services,
  job: { upload_id: string; institute_id: string },
): Promise<{ source_url: string; size_bytes: number } | null> => {
  const upload = await services.database.inTenant(job.institute_id, (tx) =>
    tx
      .selectFrom('uploads')
      .select(['sealed_key', 'size_bytes'])
      .where('institute_id', '=', job.institute_id)
      .where('id', '=', job.upload_id)
      .where('status', '=', 'inspecting')
      .executeTakeFirst(),
  );
  if (upload?.sealed_key == null) return null;
  return {
    source_url: await services.objects.presignGet(upload.sealed_key, {
      expiresInSeconds: SOURCE_URL_SECONDS,
    }),
    size_bytes: upload.size_bytes,
  };
};

/** Told just before a worker opens the file. */
export const countOpening = async (
  services: Services,
  job: { upload_id: string; institute_id: string },
): Promise<void> => {
  await services.database.inTenant(job.institute_id, (tx) =>
    tx
      .updateTable('uploads')
      .set({
        inspect_openings: sql<number>`inspect_openings + 1`,
        inspect_released_at: sql<Date>`clock_timestamp()`,
      })
      .where('institute_id', '=', job.institute_id)
      .where('id', '=', job.upload_id)
      .where('status', '=', 'inspecting')
      .execute(),
  );
};

export type InspectionOutcome =
  { status: 'ready'; pages: number; sha256: string } | { status: 'rejected'; reject_reason: string };

/** The first outcome counts: inspecting the same sealed object again says the same. */
export const recordInspection = async (
  services: Services,
  job: { upload_id: string; institute_id: string },
  outcome: InspectionOutcome,
): Promise<void> => {
  await services.database.inTenant(job.institute_id, (tx) =>
    tx
      .updateTable('uploads')
      .set(outcome)
      .where('institute_id', '=', job.institute_id)
      .where('id', '=', job.upload_id)
      .where('status', '=', 'inspecting')
      .execute(),
  );
};

/** Publishes inspections again whose worker or message is gone, and gives a file up that nobody survives. */
export const redeliverInspections = async (services: Services): Promise<void> => {
  const due = await services.database.acrossInstitutes((tx) =>
    sql<{ id: string; institute_id: string; delivery: number; status: string }>`
      update uploads set
        inspect_delivery = inspect_delivery + 1,
        inspect_released_at = clock_timestamp(),
        status = case when inspect_openings >= ${MAX_OPENINGS} then 'rejected'::"UploadStatus" else status end,
        reject_reason = case when inspect_openings >= ${MAX_OPENINGS}
          then 'The file could not be checked: opening it takes too long or too much memory. Print it to a new PDF, or scan it again, and upload that.' end
      where id in (
        select id from uploads
        where status = 'inspecting'
          and inspect_released_at < clock_timestamp() - make_interval(secs => ${services.settings.runs.unclaimedSeconds})
        order by inspect_released_at limit 100 for update skip locked)
      returning id, institute_id, inspect_delivery as delivery, status`.execute(tx),
  );
  for (const upload of due.rows) {
    if (upload.status === 'inspecting') await publishInspection(services, upload);
    else services.log.warn({ upload_id: upload.id }, 'an upload was rejected: its inspections never ended');
  }
};
