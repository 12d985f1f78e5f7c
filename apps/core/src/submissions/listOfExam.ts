import { sql, type RawBuilder } from 'kysely';
import { ExamSubmissionsQuery, type SubmissionList } from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/platform/signed-actor';
import { accept } from '../command/accept.ts';
import { findExam } from '../command/locks/findExam.ts';
import { closePage, openPage, type Page } from '../command/lists/page.ts';
import type { Services } from '../command/services.ts';
import { selectSubmissions, type Choice } from './representation.ts';

/** @throws DomainFailure exam_not_found, validation_failed, invalid_cursor */
export const listOfExam = (
  services: Services,
  actor: Actor,
  examId: string,
  query: unknown,
): Promise<SubmissionList> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const exam = await findExam(tx, actor, examId);
    const { finalized, needs_review, ...request } = accept(ExamSubmissionsQuery, query);
    const page = openPage(request, {
      instituteId: actor.institute_id,
      list: 'exam_submissions',
      filters: { exam_id: exam.id, finalized, needs_review },
      defaultLimit: 50,
      signingKeys: services.settings.actorSigningKeys,
    });
    const chosen = liveOfExam(exam.id, page, { finalized, needs_review });
    const found = await selectSubmissions(tx, actor, services.lanePace, chosen);
    return closePage(tx, page, found, ({ updated_at, id }) => ({ updated_at, id }));
  });

export const liveOfExam = (
  examId: string,
  page: Page,
  { finalized, needs_review }: Pick<ExamSubmissionsQuery, 'finalized' | 'needs_review'>,
): Choice => ({
  // The conditions match the partial indexes literally: `needs_review` and `is null` instead of comparisons with a
  // parameter.
  where: sql<boolean>`s.exam_id = ${examId} and s.state = 'live'
    and ${flagged(needs_review, sql`s.needs_review`, sql`not s.needs_review`)}
    and ${flagged(finalized, sql`s.finalized_at is not null`, sql`s.finalized_at is null`)}
    and ${page.where(sql`s.updated_at`, sql`s.id`)}`,
  limit: page.rows,
});

const flagged = (
  wanted: 'true' | 'false' | undefined,
  isSet: RawBuilder<unknown>,
  isNotSet: RawBuilder<unknown>,
): RawBuilder<unknown> => {
  if (wanted === undefined) return sql`true`;
  return wanted === 'true' ? isSet : isNotSet;
};
