import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import type { StaffActor } from '@evaluation/platform/signed-actor';
import { Ink, MOST_INK } from '@evaluation/rules/marked-page';
import * as z from 'zod/v4';
import { refuseField } from '../../command/accept.ts';
import { lockSubmissionFor } from '../../command/locks/lockSubmission.ts';
import type { Services } from '../../command/services.ts';
import { requestDrawing } from '../../files/drawings.ts';

/*
 * Ink: what teachers draw on the pages of a copy, one row a stroke (docs/desk/marking.md#ink). The page makes the id of
 * a stroke, so a repeated call changes nothing, and two people who draw at once keep all strokes. A removed stroke
 * keeps its row without its content: a late repetition of its first call does not draw it again. The rows have author
 * and time, so strokes are not in the audit, where they would hide the decisions on marks.
 */

const MOST_CHANGES = 50;
/** Rows of one copy, removed strokes included. */
const MOST_ROWS = 5000;
/** The checked copy is drawn once for strokes that follow each other. */
const DRAWING_DELAY_SECONDS = 5;

export const InkChange = z.object({
  submission_id: z.string().max(100),
  add: z.array(z.object({ id: z.uuid(), ink: Ink })).max(MOST_CHANGES),
  /** Ids of strokes, of any author. Unknown ids are ignored. */
  remove: z.array(z.uuid()).max(MOST_CHANGES),
});
export type InkChange = z.infer<typeof InkChange>;

/**
 * Adds and then removes strokes. The checked copy is drawn again if anything changed.
 * @throws DomainFailure not_found, exam_not_found, conflict (not graded, not live, or erased), submission_finalized,
 * validation_failed (a page that the copy does not have, or too many strokes)
 */
export const changeInk = (
  services: Services,
  actor: StaffActor,
  { submission_id, add, remove }: InkChange,
): Promise<{ changed: boolean }> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const instituteId = actor.institute_id;
    const { submission } = await lockSubmissionFor(tx, actor, submission_id, 'override');
    const pages = submission.pages ?? 0;
    if (add.some(({ ink }) => ink.page > pages)) {
      refuseField('add', 'out_of_range', `The copy has ${pages} pages.`);
    }
    const { rows: added } = await sql`
      insert into marking_ink (institute_id, submission_id, id, ink, staff_id)
      select ${instituteId}::uuid, ${submission.id}::uuid, a.id, a.ink, ${actor.key_id}::uuid
      from json_to_recordset(${JSON.stringify(add)}::json) as a (id uuid, ink jsonb)
      on conflict (submission_id, id) do nothing
      returning id`.execute(tx);
    const removed = await tx
      .updateTable('marking_ink')
      .set({ ink: sql`null`, removed_by: actor.key_id, removed_at: sql<Date>`clock_timestamp()` })
      .where('institute_id', '=', instituteId)
      .where('submission_id', '=', submission.id)
      .where(sql<boolean>`id = any(${remove}::uuid[])`)
      .where('removed_at', 'is', null)
      .executeTakeFirstOrThrow();
    const changed = added.length > 0 || removed.numUpdatedRows > 0n;
    if (!changed) return { changed };
    if (added.length > 0) await refuseTooMuch(tx, instituteId, submission.id);
    await tx
      .updateTable('submissions')
      .set({ marks_revision: sql<number>`marks_revision + 1` })
      .where('institute_id', '=', instituteId)
      .where('id', '=', submission.id)
      .execute();
    await requestDrawing(tx, instituteId, submission.id, DRAWING_DELAY_SECONDS);
    return { changed };
  });

const refuseTooMuch = async (tx: Tx, instituteId: string, submissionId: string): Promise<void> => {
  const { rows, shown } = await tx
    .selectFrom('marking_ink')
    .select(({ fn }) => [fn.countAll<string>().as('rows'), fn.count<string>('ink').as('shown')])
    .where('institute_id', '=', instituteId)
    .where('submission_id', '=', submissionId)
    .executeTakeFirstOrThrow();
  if (Number(shown) > MOST_INK || Number(rows) > MOST_ROWS) {
    refuseField('add', 'too_long', `A copy has at most ${MOST_INK} strokes.`);
  }
};
