import { sql, type RawBuilder } from 'kysely';
import {
  RegisteredCandidateQuery,
  type RegisteredCandidate,
  type RegisteredCandidateList,
} from '@evaluation/rest-contract/schemas';
import type { Actor } from '@evaluation/platform/signed-actor';
import { accept } from '../../command/accept.ts';
import { findExam } from '../../command/locks/findExam.ts';
import { closePage, openPage, type Page } from '../../command/lists/page.ts';
import type { Services } from '../../command/services.ts';
import type { Viewer } from '../../command/locks/visibleExams.ts';
import { shownCandidate } from './shownCandidate.ts';
import { candidateOf, type CandidateRow } from './representation.ts';

/** `updated_at` is the registration's. It changes with the candidate and with the status of the live submission. */
interface RegisteredRow extends CandidateRow {
  registration_id: string;
  submission_id: string | null;
  submission_status: RegisteredCandidate['submission_status'];
}

/**
 * Lists candidates in the order of their registrations.
 * @throws DomainFailure exam_not_found, validation_failed, invalid_cursor
 */
export const listRegistered = (
  services: Services,
  actor: Actor,
  examId: string,
  query: unknown,
): Promise<RegisteredCandidateList> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const exam = await findExam(tx, actor, examId);
    const page = openPage(accept(RegisteredCandidateQuery, query), {
      instituteId: actor.institute_id,
      list: 'registrations',
      filters: { exam_id: exam.id },
      defaultLimit: 50,
      signingKeys: services.settings.actorSigningKeys,
    });
    const { rows } = await registeredRows(actor, exam.id, page).execute(tx);
    const found = rows.map((row) => ({
      ...candidateOf(row),
      registration_id: row.registration_id,
      submission_id: row.submission_id,
      submission_status: row.submission_status,
    }));
    return closePage(tx, page, found, ({ updated_at, registration_id }) => ({
      updated_at,
      id: registration_id,
    }));
  });

/**
 * Selects a page of registrations with candidate and live submission. The inner limit cuts the page before the joins,
 * and the lateral limit keeps the planner from joining whole tables: the statement reads one page of the index and
 * looks up that many candidates and submissions. `blind` is read in the same statement, so that no name is returned
 * after a request that set `blind: true` was answered.
 */
export const registeredRows = (
  viewer: Viewer,
  examId: string,
  page: Page,
): RawBuilder<RegisteredRow> => sql<RegisteredRow>`
  select c.id, c.external_id, c.name, c.roll_number, c.section_or_class, c.metadata, c.created_at, r.updated_at,
    r.id as registration_id, s.id as submission_id, s.status as submission_status
  from (
    select r.id, r.institute_id, r.exam_id, r.candidate_id, r.updated_at
    from registrations r
    where r.institute_id = ${viewer.institute_id} and r.exam_id = ${examId}
      and ${page.where(sql`r.updated_at`, sql`r.id`)}
    order by r.updated_at, r.id
    limit ${page.rows}) r
  join lateral ${shownCandidate(viewer, 'r')} c on true
  left join lateral (
    select s.id, s.status from submissions s
    where s.institute_id = r.institute_id and s.exam_id = r.exam_id and s.candidate_id = r.candidate_id
      and s.state = 'live'
    limit 1) s on true
  order by r.updated_at, r.id`;
