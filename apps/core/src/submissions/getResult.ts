import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { listed, ResultQuery, type Result } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/signed-actor';
import { accept, isUuid } from '../accept.ts';
import type { Services } from '../services.ts';
import { ofApi } from './representation.ts';
import { resultRows, showResults } from './results.ts';

/** Deleted submissions have no result. @throws DomainFailure not_found, validation_failed */
export const getResult = (
  services: Services,
  actor: Actor,
  submissionId: string,
  query: unknown,
): Promise<Result> =>
  services.database.inTenant(actor.institute_id, (tx) =>
    readResult(tx, actor.institute_id, submissionId, () => listed(accept(ResultQuery, query).include)),
  );

/**
 * @param include called after the submission is found: existence is checked before the query
 * @throws DomainFailure not_found
 */
export const readResult = async (
  tx: Tx,
  instituteId: string,
  submissionId: string,
  include: () => ReadonlySet<string>,
): Promise<Result> => {
  const { rows } = isUuid(submissionId)
    ? await resultRows(instituteId, {
        where: sql<boolean>`s.id = ${submissionId} and s.state <> 'deleted' and ${ofApi}`,
      }).execute(tx)
    : { rows: [] };
  if (rows.length === 0) throw new DomainFailure('not_found');
  const [result] = await showResults(tx, instituteId, rows, include());
  if (result === undefined) throw new DomainFailure('not_found');
  return result;
};
