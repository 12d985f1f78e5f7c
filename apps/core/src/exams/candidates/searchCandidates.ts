import { sql } from 'kysely';
import { CandidateSearch, type CandidatesFound } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/platform/signed-actor';
import { accept } from '../../command/accept.ts';
import type { Services } from '../../command/services.ts';
import { CANDIDATE_COLUMNS, candidateOf } from './representation.ts';

/** Returns candidates in the order of the request, each once. @throws DomainFailure validation_failed */
export const searchCandidates = async (
  services: Services,
  actor: Actor,
  body: unknown,
): Promise<CandidatesFound> => {
  const wanted = new Set(accept(CandidateSearch, body).external_ids);
  const rows = await services.database.inTenant(actor.institute_id, (tx) =>
    tx
      .selectFrom('candidates')
      .select(CANDIDATE_COLUMNS)
      .where('institute_id', '=', actor.institute_id)
      .where('external_id', '=', sql<string>`any(${[...wanted]}::text[])`)
      .execute(),
  );
  const found = new Map(rows.map((row) => [row.external_id, candidateOf(row)]));
  return { data: [...wanted].flatMap((externalId) => found.get(externalId) ?? []) };
};
