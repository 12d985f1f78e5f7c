import { sql } from 'kysely';
import type { Actor } from '@evaluation/platform/signed-actor';
import { closePage, openPage } from '../../command/lists/page.ts';
import { findExam } from '../../command/locks/findExam.ts';
import type { Services } from '../../command/services.ts';
import { isOutdated } from '../../submissions/outdated.ts';

interface OutdatedSubmission {
  submission_id: string;
  /** Version that the results were graded under. */
  rubric_version: number;
  /** Credits that a new run reserves. */
  credits: number;
  approved: boolean;
  updated_at: string;
}

/**
 * Pages of the submissions that `startRegrade` grades again, in the order of `(updated_at, id)`.
 * @throws DomainFailure exam_not_found, invalid_cursor
 */
export const listOutdated = (
  services: Services,
  actor: Actor,
  examId: string,
  request: { limit: number; cursor?: string | undefined },
): Promise<{ data: OutdatedSubmission[]; next_cursor: string | null; has_more: boolean }> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const exam = await findExam(tx, actor, examId);
    const version = exam.rubric_version;
    const page = openPage(
      { limit: String(request.limit), cursor: request.cursor },
      {
        instituteId: actor.institute_id,
        list: 'outdated_submissions',
        filters: { exam_id: exam.id, rubric_version: version },
        defaultLimit: request.limit,
        signingKeys: services.settings.actorSigningKeys,
      },
    );
    const { rows } = await sql<{
      id: string;
      rubric_version: number;
      quote_credits: string;
      approved_at: Date | null;
      updated_at: Date;
    }>`
      select s.id, s.rubric_version, s.quote_credits, s.approved_at, s.updated_at
      from submissions s
      where ${isOutdated({ instituteId: actor.institute_id, examId: exam.id, version })}
        and ${page.where(sql`s.updated_at`, sql`s.id`)}
      order by s.updated_at, s.id
      limit ${page.rows}`.execute(tx);
    const found = rows.map(({ id, quote_credits, approved_at, updated_at, ...row }) => ({
      submission_id: id,
      rubric_version: row.rubric_version,
      credits: Number(quote_credits),
      approved: approved_at !== null,
      updated_at: updated_at.toISOString(),
    }));
    return closePage(tx, page, found, (row) => ({ updated_at: row.updated_at, id: row.submission_id }));
  });
