import type { Tx } from '@evaluation/database';
import type { Actor } from '@evaluation/platform/signed-actor';
import { givenTime, type QuestionResult } from '@evaluation/rest-contract/schemas';
import * as z from 'zod/v4';
import type { Viewer } from '../../command/locks/visibleExams.ts';
import { refuseField } from '../../command/accept.ts';
import { failure } from '../../command/failures.ts';
import { readQuestionResult } from './readQuestionResult.ts';

/*
 * Optimistic concurrency of marks. A member of staff sends the mark that the page showed. Under the submission's lock
 * it is compared with the mark that counts now; if they differ, the command is refused with `conflict` and changes
 * nothing. `edited_at` differs after each override, so that another examiner's mark is noticed even if its value is
 * the same.
 */

/** The mark of a question as a page showed it: fields of `QuestionResult`. */
export const SeenMark = z.object({
  awarded: z.number().nullable(),
  /** Time of the override that counts; null without one. */
  edited_at: givenTime.nullable(),
  approved: z.boolean(),
});
export type SeenMark = z.infer<typeof SeenMark>;

export const seenMarkOf = ({ awarded, review }: QuestionResult): SeenMark => ({
  awarded,
  edited_at: review.edited_at,
  approved: review.approved,
});

/** Call it under the submission's lock. @throws DomainFailure conflict if the mark is not the one that was shown */
export const refuseUnseenMark = async (
  tx: Tx,
  viewer: Viewer,
  at: { submissionId: string; questionId: string },
  seen: SeenMark,
): Promise<void> => {
  const now = seenMarkOf(await readQuestionResult(tx, viewer, at.submissionId, at.questionId));
  const isSame =
    now.awarded === seen.awarded &&
    now.approved === seen.approved &&
    isSameTime(now.edited_at, seen.edited_at);
  if (!isSame) throw failure('mark_changed');
};

const isSameTime = (one: string | null, other: string | null): boolean =>
  one === null || other === null ? one === other : Date.parse(one) === Date.parse(other);

/**
 * Two people at the desk mark the same copy, so each names what was on the screen. A key's caller is one backend.
 * @throws DomainFailure validation_failed if a member of staff left the field out
 */
export const requireOfStaff = (actor: Actor, field: string, seen: unknown): void => {
  if (actor.staff !== undefined && seen === undefined)
    refuseField(field, 'required', 'Name what you have seen.');
};
