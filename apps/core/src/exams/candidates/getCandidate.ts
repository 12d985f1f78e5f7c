import { DomainFailure } from '@evaluation/rest-contract/errors';
import type { Candidate } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/platform/signed-actor';
import { isUuid } from '../../command/accept.ts';
import type { Services } from '../../command/services.ts';
import { CANDIDATE_COLUMNS, candidateOf } from './representation.ts';

/** @throws DomainFailure candidate_not_found */
export const getCandidate = async (
  services: Services,
  actor: Actor,
  candidateId: string,
): Promise<Candidate> => {
  if (!isUuid(candidateId)) throw new DomainFailure('candidate_not_found');
  const row = await services.database.inTenant(actor.institute_id, (tx) =>
    tx
      .selectFrom('candidates')
      .select(CANDIDATE_COLUMNS)
      .where('institute_id', '=', actor.institute_id)
      .where('id', '=', candidateId)
      .executeTakeFirst(),
  );
  if (row === undefined) throw new DomainFailure('candidate_not_found');
  return candidateOf(row);
};
