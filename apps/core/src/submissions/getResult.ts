import { sql } from 'kysely';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { listed, ResultQuery, type Result } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/signed-actor';
import { accept, isUuid } from '../accept.ts';
import type { Services } from '../services.ts';
import { ofApi } from './representation.ts';
import { resultRows, showResults } from './results.ts';

/**
 * Question-wise marks, criteria and feedback (spec 2.7). The result of a deleted submission is no longer available.
 * @throws DomainFailure not_found, validation_failed
 */
export const getResult = (
  services: Services,
  actor: Actor,
  submissionId: string,
  query: unknown,
): Promise<Result> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    if (!isUuid(submissionId)) throw new DomainFailure('not_found');
    const { rows } = await resultRows(actor.institute_id, {
      where: sql<boolean>`s.id = ${submissionId} and s.state <> 'deleted' and ${ofApi}`,
    }).execute(tx);
    // Looked for first, and only then is the query judged (design chapter 5, order of checks).
    if (rows.length === 0) throw new DomainFailure('not_found');
    const include = listed(accept(ResultQuery, query).include);
    const [result] = await showResults(tx, actor.institute_id, rows, include);
    if (result === undefined) throw new DomainFailure('not_found');
    return result;
  });
