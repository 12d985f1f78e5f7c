import type { QuestionResult } from '@evaluation/rest-contract/schemas';
import type { StaffActor } from '@evaluation/platform/signed-actor';
import { stopPassingBelowTarget } from '../../guides/passingAudit.ts';
import { lockSubmissionFor } from '../../command/locks/lockSubmission.ts';
import type { Services } from '../../command/services.ts';
import { audit } from '../../command/audit.ts';
import { marksChanged } from './marksChanged.ts';
import { findMarkedQuestion } from './overrideMark.ts';
import { auditedFields, readQuestionResult } from './readQuestionResult.ts';
import { refuseUnseenMark, type SeenMark } from './seenMark.ts';

/**
 * Withdraws a teacher's mark, so that the mark by AI or key counts again; totals, flags and checked copy follow. The
 * audit keeps the withdrawn mark. Nothing happens if the question has no teacher's mark.
 * @param seen the mark that the teacher wants to withdraw
 * @throws DomainFailure not_found, exam_not_found, conflict (not graded, not live, or another mark than `seen`),
 * submission_finalized
 */
export const withdrawMark = (
  services: Services,
  actor: StaffActor,
  at: { submission_id: string; question_id: string },
  seen: SeenMark,
): Promise<QuestionResult> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const instituteId = actor.institute_id;
    const question = await findMarkedQuestion(tx, actor, at.submission_id, at.question_id);
    const { submission } = await lockSubmissionFor(tx, actor, at.submission_id, 'override');
    const place = { submissionId: submission.id, questionId: question.id };
    await refuseUnseenMark(tx, actor, place, seen);
    const before = await readQuestionResult(tx, actor, submission.id, question.id);
    const withdrawn = await tx
      .deleteFrom('reviews')
      .where('institute_id', '=', instituteId)
      .where('submission_id', '=', submission.id)
      .where('question_id', '=', question.id)
      .where('application', '=', 0)
      .returning(['reviewer', 'reason'])
      .executeTakeFirst();
    if (withdrawn === undefined) return before;
    await marksChanged(tx, instituteId, submission);
    await stopPassingBelowTarget(tx, actor, submission);
    const after = await readQuestionResult(tx, actor, submission.id, question.id);
    await audit(tx, actor, [
      {
        action: 'override_dropped',
        exam_id: submission.exam_id,
        submission_id: submission.id,
        question_id: question.id,
        reviewer: null,
        reason: null,
        before: { ...auditedFields(before), ...withdrawn },
        after: auditedFields(after),
      },
    ]);
    return after;
  });
