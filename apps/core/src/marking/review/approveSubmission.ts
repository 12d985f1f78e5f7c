import { sql } from 'kysely';
import { Approve, type Submission } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/platform/signed-actor';
import { accept } from '../../command/accept.ts';
import { stopPassingBelowTarget } from '../../guides/passingAudit.ts';
import type { Services } from '../../command/services.ts';
import { readSubmission } from '../../submissions/getSubmission.ts';
import { lockSubmissionFor } from '../../command/locks/lockSubmission.ts';
import { failure } from '../../command/failures.ts';
import { audit, reviewerOf } from '../../command/audit.ts';
import { requireOfStaff } from './seenMark.ts';

/**
 * Records a teacher's approval of the marks: clears the submission's review flag and reasons, and sets
 * `review.approved` of each question. Marks can still be overridden.
 * @param seenRevision revision of the marks that the teacher has seen; a key's caller may leave it out
 * @throws DomainFailure not_found, exam_not_found, conflict (not graded, not live, or marks of another revision),
 * submission_finalized, validation_failed
 */
export const approveSubmission = (
  services: Services,
  actor: Actor,
  submissionId: string,
  body: unknown,
  seenRevision?: number,
): Promise<Submission> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const { submission } = await lockSubmissionFor(tx, actor, submissionId, 'approve');
    const reviewer = reviewerOf(actor, accept(Approve, body).reviewer ?? null);
    requireOfStaff(actor, 'seen_marks_revision', seenRevision);
    if (seenRevision !== undefined && seenRevision !== submission.marks_revision) {
      throw failure('mark_changed');
    }
    await tx
      .updateTable('submissions')
      .set({
        approved_at: sql<Date>`clock_timestamp()`,
        approved_by: reviewer,
        needs_review: false,
        review_reasons: [],
      })
      .where('institute_id', '=', actor.institute_id)
      .where('id', '=', submission.id)
      .execute();
    await audit(tx, actor, [
      {
        action: 'approve',
        exam_id: submission.exam_id,
        submission_id: submission.id,
        reviewer,
        reason: null,
        before: { needs_review: submission.needs_review, review_reasons: submission.review_reasons },
        after: { needs_review: false, review_reasons: [] },
      },
    ]);
    await stopPassingBelowTarget(tx, actor, submission);
    return readSubmission(tx, actor, submission.id, services.lanePace);
  });
