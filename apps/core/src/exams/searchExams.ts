import { sql } from 'kysely';
import { ExamSearch, type ExamsFound } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/platform/signed-actor';
import { accept } from '../command/accept.ts';
import type { Services } from '../command/services.ts';
import { selectExams, showExams } from './representation.ts';

/** Deleted exams are not found (open point `exam-search`). @throws DomainFailure validation_failed */
export const searchExams = async (services: Services, actor: Actor, body: unknown): Promise<ExamsFound> => {
  const { external_ref } = accept(ExamSearch, body);
  return services.database.inTenant(actor.institute_id, async (tx) => {
    const { rows } = await selectExams(actor, {
      where: sql<boolean>`e.status <> 'deleted' and e.external_ref = ${external_ref}`,
    }).execute(tx);
    return { data: await showExams(tx, actor.institute_id, rows, services.settings.dashboardUrl) };
  });
};
