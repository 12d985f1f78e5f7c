import { sql } from 'kysely';
import { FeedQuery, type SubmissionList } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/platform/signed-actor';
import { accept } from '../command/accept.ts';
import { closePage, openPage, type Page } from '../command/lists/page.ts';
import { isOfVisibleExam, type Viewer } from '../command/locks/visibleExams.ts';
import type { Services } from '../command/services.ts';
import { selectSubmissions, type Choice } from './representation.ts';

/** Includes replaced and deleted submissions. @throws DomainFailure validation_failed, invalid_cursor */
export const feed = async (services: Services, actor: Actor, query: unknown): Promise<SubmissionList> => {
  const page = openPage(accept(FeedQuery, query), {
    instituteId: actor.institute_id,
    list: 'submissions',
    defaultLimit: 50,
    isFeed: true,
    signingKeys: services.settings.actorSigningKeys,
  });
  return services.database.inTenant(actor.institute_id, async (tx) => {
    const found = await selectSubmissions(tx, actor, services.lanePace, ofFeed(actor, page));
    return closePage(tx, page, found, ({ updated_at, id }) => ({ updated_at, id }));
  });
};

export const ofFeed = (viewer: Viewer, page: Page): Choice => ({
  where: sql<boolean>`${isOfVisibleExam(viewer)} and ${page.where(sql`s.updated_at`, sql`s.id`)}`,
  limit: page.rows,
});
