import { DomainFailure } from '@evaluation/rest-contract/errors';
import type { Deleted } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/platform/signed-actor';
import { isUuid } from '../../command/accept.ts';
import { lockExam, refuseChange } from '../../command/locks/lockExam.ts';
import type { Services } from '../../command/services.ts';

/**
 * Deletes a registration. The exam's lock prevents a concurrent submission of the same candidate.
 * @throws DomainFailure exam_not_found, candidate_not_found, exam_finalized, candidate_has_submission
 */
export const unregister = (
  services: Services,
  actor: Actor,
  examId: string,
  candidateId: string,
): Promise<Deleted> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const exam = await lockExam(tx, actor, examId);
    const registration = isUuid(candidateId)
      ? await tx
          .selectFrom('registrations')
          .select(['id', 'candidate_id'])
          .where('institute_id', '=', actor.institute_id)
          .where('exam_id', '=', exam.id)
          .where('candidate_id', '=', candidateId)
          .executeTakeFirst()
      : undefined;
    if (registration === undefined) throw new DomainFailure('candidate_not_found');
    refuseChange(exam, 'unregister');

    const submission = await tx
      .selectFrom('submissions')
      .select('id')
      .where('institute_id', '=', actor.institute_id)
      .where('exam_id', '=', exam.id)
      .where('candidate_id', '=', registration.candidate_id)
      .where('state', '=', 'live')
      .executeTakeFirst();
    if (submission !== undefined) throw new DomainFailure('candidate_has_submission');
    await tx
      .deleteFrom('registrations')
      .where('institute_id', '=', actor.institute_id)
      .where('id', '=', registration.id)
      .execute();
    return { id: registration.candidate_id, deleted: true };
  });
