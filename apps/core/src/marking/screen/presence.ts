import { sql } from 'kysely';
import type { StaffActor } from '@evaluation/platform/signed-actor';
import type { Services } from '../../command/services.ts';
import { staffNames } from './staffNames.ts';
import { findCopy } from './findCopy.ts';

/*
 * Who has a copy open. The page calls `keepOpen` every ten seconds; a call is one row in `open_copies`, so that it
 * works with several replicas of core. A closed page stops calling, and its row counts for PRESENT_SECONDS. Each call
 * deletes the older rows of its caller, so that a person leaves few rows behind.
 */

const PRESENT_SECONDS = 30;
/** Most colleagues that an answer names. */
const MOST_NAMED = 10;

interface OpenCopy {
  /** Other members of staff who have the copy open, the latest first. */
  others: { staff_id: string; name: string | null }[];
  /** Grows with each change of marks: a page that shows an older revision reads the copy again. */
  marks_revision: number;
}

/** @throws DomainFailure not_found */
export const keepOpen = async (
  services: Services,
  actor: StaffActor,
  submissionId: string,
): Promise<OpenCopy> => {
  const instituteId = actor.institute_id;
  const { copy, present } = await services.database.inTenant(instituteId, async (tx) => {
    const found = await findCopy(tx, actor, submissionId);
    await tx
      .insertInto('open_copies')
      .values({ institute_id: instituteId, submission_id: found.id, staff_id: actor.key_id })
      .onConflict((conflict) =>
        conflict
          .columns(['submission_id', 'staff_id'])
          .doUpdateSet({ seen_at: sql<Date>`clock_timestamp()` }),
      )
      .execute();
    await sql`
      delete from open_copies
      where institute_id = ${instituteId} and staff_id = ${actor.key_id} and ${isOver}`.execute(tx);
    const { rows } = await sql<{ staff_id: string }>`
      select staff_id from open_copies
      where institute_id = ${instituteId} and submission_id = ${found.id} and staff_id <> ${actor.key_id}
        and not ${isOver}
      order by seen_at desc limit ${MOST_NAMED}`.execute(tx);
    return { copy: found, present: rows.map(({ staff_id }) => staff_id) };
  });
  const names = await staffNames(services, instituteId, present);
  return {
    others: present.map((staff_id) => ({ staff_id, name: names.get(staff_id) ?? null })),
    marks_revision: copy.marks_revision,
  };
};

const isOver = sql<boolean>`(seen_at < clock_timestamp() - make_interval(secs => ${PRESENT_SECONDS}))`;
