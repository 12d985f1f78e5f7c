import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import type { Submission } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/signed-actor';
import { isUuid } from '../accept.ts';
import type { LanePace } from '../lanes/lanePace.ts';
import type { Services } from '../services.ts';
import { ofApi, selectSubmissions } from './representation.ts';

/** @throws DomainFailure not_found */
export const getSubmission = (services: Services, actor: Actor, submissionId: string): Promise<Submission> =>
  services.database.inTenant(actor.institute_id, (tx) =>
    readSubmission(tx, actor.institute_id, submissionId, services.lanePace),
  );

/** Reads a submission as in the API, in the caller's transaction. @throws DomainFailure not_found */
export const readSubmission = async (
  tx: Tx,
  instituteId: string,
  submissionId: string,
  pace: Pick<LanePace, 'of'>,
): Promise<Submission> => {
  const [submission] = isUuid(submissionId)
    ? await selectSubmissions(tx, instituteId, pace, {
        where: sql<boolean>`s.id = ${submissionId} and ${ofApi}`,
      })
    : [];
  if (submission === undefined) throw new DomainFailure('not_found');
  return submission;
};
