import type { Tx } from '@evaluation/database';
import type { Actor } from '@evaluation/platform/signed-actor';
import { audit } from '../../command/audit.ts';

/** Deletes the overrides of a submission for a re-evaluation without `keep_overrides`; the audit keeps their values. */
export const dropOverrides = async (
  tx: Tx,
  actor: Actor,
  submission: { id: string; exam_id: string },
): Promise<void> => {
  const dropped = await tx
    .deleteFrom('reviews')
    .where('institute_id', '=', actor.institute_id)
    .where('submission_id', '=', submission.id)
    .where('application', '=', 0)
    .returning(['question_id', 'awarded', 'reviewer', 'reason'])
    .execute();
  await audit(
    tx,
    actor,
    dropped.map(({ question_id, awarded, reviewer, reason }) => ({
      action: 'override_dropped',
      exam_id: submission.exam_id,
      submission_id: submission.id,
      question_id,
      reviewer: null,
      reason: null,
      before: { awarded: Number(awarded), reviewer, reason },
      after: { awarded: null },
    })),
  );
};
