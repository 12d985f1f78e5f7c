import type { Actor } from '@evaluation/platform/signed-actor';
import { sql } from 'kysely';
import * as z from 'zod/v4';
import { isUuid } from '../command/accept.ts';
import type { Services } from '../command/services.ts';
import { isClaimedBy, type ClaimedInspection } from './inspections.ts';

/*
 * Numbers at the top of the first page of an upload, such as a roll number in boxes. The desk asks for them when the
 * name of a file names no candidate, and proposes a candidate; a person decides. They are kept until a submission takes
 * the upload, or its file is removed.
 */

export const Heading = z.array(z.string().min(1).max(64)).max(10);

/** Stores what the worker has read. A late, repeated or unclaimed record changes nothing. */
export const recordHeading = async (
  services: Services,
  claimed: ClaimedInspection,
  heading: z.infer<typeof Heading>,
): Promise<void> => {
  await services.database.inTenant(claimed.institute_id, (tx) =>
    tx
      .updateTable('uploads')
      .set({ heading: JSON.stringify(heading) })
      .where('institute_id', '=', claimed.institute_id)
      .where('id', '=', claimed.upload_id)
      .where('status', '=', 'ready')
      .where('heading_wanted', '=', true)
      .where('heading', 'is', null)
      .where('submission_id', 'is', null)
      .where(isClaimedBy(claimed))
      .execute(),
  );
};

/** @returns by upload, for those that were read; ids of another institute are left out like missing ones */
export const readHeadings = async (
  services: Services,
  actor: Actor,
  uploadIds: readonly string[],
): Promise<{ upload_id: string; heading: string[] }[]> => {
  const ids = uploadIds.filter(isUuid);
  const rows = await services.database.inTenant(actor.institute_id, (tx) =>
    tx
      .selectFrom('uploads')
      .select(['id', 'heading'])
      .where('institute_id', '=', actor.institute_id)
      .where('id', '=', sql<string>`any(${ids}::uuid[])`)
      .where('heading', 'is not', null)
      .execute(),
  );
  return rows.map(({ id, heading }) => ({ upload_id: id, heading: Heading.parse(heading) }));
};
