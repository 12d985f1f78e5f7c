import { sql } from 'kysely';
import type { StaffActor } from '@evaluation/platform/signed-actor';
import * as z from 'zod/v4';
import type { Services } from '../../command/services.ts';
import { findCopy, findQuestionOfCopy } from './findCopy.ts';

/** A flag asks a colleague to look at a question. It changes no mark, and a later flag replaces an earlier one. */
export const FlagChange = z.object({
  submission_id: z.string().max(100),
  question_id: z.string().max(100),
  flagged: z.boolean(),
  note: z.string().max(500).optional(),
});
export type FlagChange = z.infer<typeof FlagChange>;

/** Sets or removes the flag; a repeated call changes nothing. @throws DomainFailure not_found */
export const setFlag = (
  services: Services,
  actor: StaffActor,
  { submission_id, question_id, flagged, note }: FlagChange,
): Promise<{ flagged: boolean }> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const instituteId = actor.institute_id;
    const copy = await findCopy(tx, actor, submission_id);
    await findQuestionOfCopy(tx, instituteId, copy, question_id);
    const key = { institute_id: instituteId, submission_id: copy.id, question_id };
    if (flagged) {
      const given = {
        note: note ?? null,
        staff_id: actor.key_id,
        flagged_at: sql<Date>`clock_timestamp()`,
      };
      // Nothing is written for a candidate whose data is being erased: the erasure has deleted the notes.
      await sql`
        insert into marking_flags (institute_id, submission_id, question_id, note, staff_id)
        select ${instituteId}, s.id, ${question_id}::uuid, ${given.note}, ${given.staff_id}::uuid
        from submissions s
        where s.institute_id = ${instituteId} and s.id = ${copy.id} and s.erased_at is null
        for key share
        on conflict (submission_id, question_id)
        do update set note = excluded.note, staff_id = excluded.staff_id, flagged_at = ${given.flagged_at}`.execute(
        tx,
      );
    } else {
      await tx
        .deleteFrom('marking_flags')
        .where('institute_id', '=', key.institute_id)
        .where('submission_id', '=', key.submission_id)
        .where('question_id', '=', key.question_id)
        .execute();
    }
    return { flagged };
  });
