import { CandidatesCreate, type CandidatesCreated } from '@evaluation/rest-contract/schemas';
import { isRead } from '@evaluation/rules';
import type { Actor } from '@evaluation/platform/signed-actor';
import { acceptInSlices, refuse } from '../../command/accept.ts';
import type { Services } from '../../command/services.ts';
import { repeatedCandidates, upsertCandidates } from './upsert.ts';

/** Creates or updates up to 2000 candidates in one transaction. @throws DomainFailure validation_failed */
export const createCandidates = async (
  services: Pick<Services, 'database'>,
  actor: Actor,
  body: unknown,
): Promise<CandidatesCreated> => {
  const { candidates } = await acceptInSlices(CandidatesCreate, body, (parts) =>
    isRead(parts) ? repeatedCandidates(parts.candidates) : [],
  );
  const problems = repeatedCandidates(candidates);
  if (problems.length > 0) refuse(problems);
  return services.database.inTenant(actor.institute_id, async (tx) => ({
    candidates: await upsertCandidates(tx, actor.institute_id, candidates),
  }));
};
