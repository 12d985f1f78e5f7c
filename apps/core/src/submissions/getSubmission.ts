import { sql } from 'kysely';
import { later, PREPARED, type Tx } from '@evaluation/database';
import type { RunLane } from '@evaluation/jobs-contract';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import type { Submission } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/platform/signed-actor';
import { isUuid } from '../command/accept.ts';
import type { LanePace } from '../command/lanePace.ts';
import type { Viewer } from '../command/locks/visibleExams.ts';
import type { Services } from '../command/services.ts';
import { placesInLane, stepAlongIndexes } from './queuePlaces.ts';
import {
  isOfVisibleExam,
  representation,
  selectSubmissions,
  submissionRows,
  type Choice,
  type SubmissionRow,
} from './representation.ts';

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
    ? await selectSubmissions(tx, viewer.institute_id, pace, chosenBy(viewer, submissionId))
    : [];
  if (submission === undefined) throw new DomainFailure('not_found');
  return submission;
};

/**
 * Reads a submission whose first run was inserted before, with the next statement of the transaction.
 * @param run.waits true for a run that waits for the AI, and so has a place in the queue
 */
export const laterNewSubmission = async (
  tx: Tx,
  viewer: Viewer,
  created: { submissionId: string; run: { id: string; lane: RunLane }; waits: boolean },
  pace: Pick<LanePace, 'of'>,
): Promise<() => Submission> => {
  const { submissionId, run, waits } = created;
  const rows = await later(tx, submissionById(viewer, submissionId));
  if (waits) await stepAlongIndexes(tx);
  const places = waits ? await later(tx, placesInLane(viewer.institute_id, run.lane, [run.id])) : () => [];
  return () => {
    const [row] = rows();
    if (row === undefined) throw new Error(`submission ${submissionId} is missing after its insert`);
    return representation(row, places()[0]?.ahead ?? null, pace);
  };
};

const submissionById = (viewer: Viewer, submissionId: string) =>
  sql<SubmissionRow>`${PREPARED} ${submissionRows(viewer.institute_id, chosenBy(viewer, submissionId))}`;

const chosenBy = (viewer: Viewer, submissionId: string): Choice => ({
  where: sql<boolean>`s.id = ${submissionId} and ${isOfVisibleExam(viewer)}`,
});
