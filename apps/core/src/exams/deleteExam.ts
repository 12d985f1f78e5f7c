import type { Deleted } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/platform/signed-actor';
import { audit } from '../command/audit.ts';
import { failure } from '../command/failures.ts';
import type { Services } from '../command/services.ts';
import { lockExamFor } from '../command/locks/lockExam.ts';

/**
 * The `external_ref` of a deleted exam can be used again, because the unique index leaves out deleted exams.
 * @throws DomainFailure exam_not_found, exam_finalized, conflict
 */
export const deleteExam = (services: Services, actor: Actor, examId: string): Promise<Deleted> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const exam = await lockExamFor(tx, actor, examId, 'delete');
    if (exam.live_submissions > 0) {
      throw failure('exam_has_submissions');
    }
    await tx
      .updateTable('exams')
      .set({ status: 'deleted' })
      .where('institute_id', '=', actor.institute_id)
      .where('id', '=', exam.id)
      .execute();
    await audit(tx, actor, [{ action: 'exam_delete', exam_id: exam.id }]);
    return { id: exam.id, deleted: true };
  });
