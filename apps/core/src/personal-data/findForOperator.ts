import type { Tx } from '@evaluation/database';
import * as z from 'zod/v4';
import { failure } from '../command/failures.ts';

export const WantedCandidate = z
  .object({
    institute_id: z.uuid(),
    candidate_id: z.uuid().optional(),
    external_id: z.string().min(1).max(256).optional(),
  })
  .refine((wanted) => (wanted.candidate_id === undefined) !== (wanted.external_id === undefined));
export type WantedCandidate = z.infer<typeof WantedCandidate>;

/**
 * An external id finds the candidate of an unfinished erasure before a candidate created later with the same id.
 * @throws DomainFailure not_found
 */
export const findForOperator = async (tx: Tx, wanted: WantedCandidate): Promise<string> => {
  const { institute_id, candidate_id, external_id = '' } = wanted;
  const found =
    candidate_id === undefined
      ? ((await beingErased(tx, institute_id, external_id)) ??
        (await ofExternalId(tx, institute_id, external_id)) ??
        // The erasure may have started between the two selects.
        (await beingErased(tx, institute_id, external_id)))
      : await tx
          .selectFrom('candidates')
          .select('id')
          .where('institute_id', '=', institute_id)
          .where('id', '=', candidate_id)
          .executeTakeFirst();
  if (found === undefined) {
    throw failure('no_such_candidate');
  }
  return found.id;
};

const ofExternalId = (tx: Tx, instituteId: string, externalId: string) =>
  tx
    .selectFrom('candidates')
    .select('id')
    .where('institute_id', '=', instituteId)
    .where('external_id', '=', externalId)
    .executeTakeFirst();

const beingErased = (tx: Tx, instituteId: string, externalId: string) =>
  tx
    .selectFrom('erasures')
    .select('candidate_id as id')
    .where('institute_id', '=', instituteId)
    .where('external_id', '=', externalId)
    .orderBy('requested_at')
    .executeTakeFirst();
