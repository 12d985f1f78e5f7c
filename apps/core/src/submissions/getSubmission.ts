import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import type { Submission } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/platform/signed-actor';
import { isUuid } from '../command/accept.ts';
import type { LanePace } from '../command/lanePace.ts';
import { isOfVisibleExam, type Viewer } from '../command/locks/visibleExams.ts';
import type { Services } from '../command/services.ts';
import { placesInLane } from './queuePlaces.ts';
import { representation, selectSubmissions, submissionRows, type Choice } from './representation.ts';

/**
 * Reads a submission in one round trip to PostgreSQL, and in a second one its place in the queue if it is queued.
 * @throws DomainFailure not_found
 */
export const getSubmission = async (
  { database, lanePace }: Pick<Services, 'database' | 'lanePace'>,
  actor: Actor,
  submissionId: string,
): Promise<Submission> => {
  const { institute_id } = actor;
  const [row] = isUuid(submissionId)
    ? await database.readInTenant(institute_id, submissionById(actor, submissionId))
    : [];
  if (row === undefined) throw new DomainFailure('not_found');
  const [place] =
    row.status === 'queued'
      ? await database.readInTenant(
          institute_id,
          placesInLane(institute_id, row.lane, [row.current_run_id]),
          { walksIndexes: true },
        )
      : [];
  return representation(row, place?.ahead ?? null, lanePace);
};

/** Reads a submission as in the API, in the caller's transaction. @throws DomainFailure not_found */
export const readSubmission = async (
  tx: Tx,
  viewer: Viewer,
  submissionId: string,
  pace: Pick<LanePace, 'of'>,
): Promise<Submission> => {
  const [submission] = isUuid(submissionId)
    ? await selectSubmissions(tx, viewer, pace, chosenBy(viewer, submissionId))
    : [];
  if (submission === undefined) throw new DomainFailure('not_found');
  return submission;
};

/** The statement of `getSubmission`. */
export const submissionById = (viewer: Viewer, submissionId: string) =>
  submissionRows(viewer, chosenBy(viewer, submissionId));

const chosenBy = (viewer: Viewer, submissionId: string): Choice => ({
  where: sql<boolean>`s.id = ${submissionId} and ${isOfVisibleExam(viewer)}`,
});
