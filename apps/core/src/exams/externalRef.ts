import { brokenConstraint } from '@evaluation/database';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { failure } from '../command/failures.ts';
import { sourceOf, type Viewer } from '../command/locks/visibleExams.ts';
import type { Services } from '../command/services.ts';

/**
 * Runs a command that sets `external_ref`. The unique index decides between concurrent calls.
 * @throws DomainFailure exam_exists with the id of the exam that has the `external_ref`
 */
export const withExternalRef = async <T>(
  services: Services,
  actor: Viewer,
  externalRef: string | null | undefined,
  command: () => Promise<T>,
): Promise<T> => {
  try {
    return await command();
  } catch (error) {
    if (externalRef == null || brokenConstraint(error) !== 'exams_external_ref') throw error;
    return refuseTaken(services, actor, externalRef);
  }
};

const refuseTaken = async (services: Services, actor: Viewer, externalRef: string): Promise<never> => {
  const taken = await services.database.inTenant(actor.institute_id, (tx) =>
    tx
      .selectFrom('exams')
      .select('id')
      .where('institute_id', '=', actor.institute_id)
      .where('source', '=', sourceOf(actor))
      .where('external_ref', '=', externalRef)
      .where('status', '<>', 'deleted')
      .executeTakeFirst(),
  );
  throw taken === undefined
    ? failure('external_ref_freed')
    : new DomainFailure('exam_exists', { details: { exam_id: taken.id } });
};
