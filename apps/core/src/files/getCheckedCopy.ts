import { DomainFailure } from '@evaluation/rest-contract/errors';
import type { Actor } from '@evaluation/platform/signed-actor';
import { isUuid } from '../command/accept.ts';
import { failure } from '../command/failures.ts';
import { visibleSubmissions } from '../command/locks/lockSubmission.ts';
import type { Services } from '../command/services.ts';

/** The facade starts the download at once; a minute covers a slow start. */
const URL_SECONDS = 60;

/**
 * Returns a URL for the facade, which streams the file to clients (docs/architecture.md#checked-copy).
 * @throws DomainFailure not_found if there is no copy of the present marks, conflict for an examiner on a blind exam
 */
export const getCheckedCopy = async (
  services: Services,
  actor: Actor,
  submissionId: string,
): Promise<{ url: string; size_bytes: number }> => {
  const copy = isUuid(submissionId)
    ? await services.database.inTenant(actor.institute_id, (tx) =>
        visibleSubmissions(tx, actor)
          .innerJoin('checked_copies as k', (join) =>
            join
              .onRef('k.institute_id', '=', 's.institute_id')
              .onRef('k.submission_id', '=', 's.id')
              .onRef('k.marks_revision', '=', 's.marks_revision'),
          )
          .select(['k.object_key', 'k.size_bytes', 'e.blind'])
          .where('s.id', '=', submissionId)
          .where('s.state', '<>', 'deleted')
          .executeTakeFirst(),
      )
    : undefined;
  if (copy === undefined) throw new DomainFailure('not_found');
  // It is made for the candidate, whom it names.
  if (copy.blind && actor.staff?.role === 'examiner') throw failure('blind_copy');
  return {
    url: await services.objects.presignGet(copy.object_key, { expiresInSeconds: URL_SECONDS }),
    size_bytes: copy.size_bytes,
  };
};
