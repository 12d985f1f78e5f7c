import { sql, type RawBuilder } from 'kysely';
import { ExamListQuery, type ExamList } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/platform/signed-actor';
import { accept } from '../command/accept.ts';
import { closePage, openPage, type Page } from '../command/lists/page.ts';
import type { Viewer } from '../command/locks/visibleExams.ts';
import type { Services } from '../command/services.ts';
import { selectExams, showExams, type ExamRow } from './representation.ts';

/** @throws DomainFailure validation_failed, invalid_cursor */
export const listExams = (services: Services, actor: Actor, query: unknown): Promise<ExamList> => {
  const page = openPage(accept(ExamListQuery, query), {
    instituteId: actor.institute_id,
    list: 'exams',
    defaultLimit: 50,
    signingKeys: services.settings.actorSigningKeys,
  });
  return services.database.inTenant(actor.institute_id, async (tx) => {
    const { rows } = await listedExams(actor, page).execute(tx);
    const items = await showExams(tx, actor.institute_id, rows, services.settings.dashboardUrl);
    return closePage(tx, page, items, ({ updated_at, id }) => ({ updated_at, id }));
  });
};

/** Exported for a test of its plan. */
export const listedExams = (viewer: Viewer, page: Page): RawBuilder<ExamRow> =>
  selectExams(viewer, {
    where: sql<boolean>`e.status <> 'deleted' and ${page.where(sql`e.updated_at`, sql`e.id`)}`,
    tail: sql`limit ${page.rows}`,
  });
