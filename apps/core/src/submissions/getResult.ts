import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { listed, ResultQuery, type Result } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/platform/signed-actor';
import { accept, isUuid } from '../command/accept.ts';
import { isOfVisibleExam, type Viewer } from '../command/locks/visibleExams.ts';
import type { Services } from '../command/services.ts';
import { resultRows, showResults } from './results.ts';

/** Deleted submissions have no result. @throws DomainFailure not_found, validation_failed */
export const getResult = (
  services: Services,
  actor: Actor,
  submissionId: string,
  query: unknown,
): Promise<Result> =>
  services.database.inTenant(actor.institute_id, (tx) =>
    readResult(tx, actor, submissionId, () => listed(accept(ResultQuery, query).include)),
  );

/**
 * @param include called after the submission is found: existence is checked before the query
 * @throws DomainFailure not_found
 */
export const readResult = async (
  tx: Tx,
  viewer: Viewer,
  submissionId: string,
  include: () => ReadonlySet<string>,
): Promise<Result> => {
  const { rows } = isUuid(submissionId)
    ? await resultRows(viewer, {
        where: sql<boolean>`s.id = ${submissionId} and s.state <> 'deleted' and ${isOfVisibleExam(viewer)}`,
      }).execute(tx)
    : { rows: [] };
  if (rows.length === 0) throw new DomainFailure('not_found');
  const [result] = await showResults(tx, viewer.institute_id, rows, include());
  if (result === undefined) throw new DomainFailure('not_found');
  return result;
};
