import { sql, type RawBuilder } from 'kysely';
import { send, write, type Tx } from '@evaluation/database';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import type { SubmissionCreate } from '@evaluation/rest-contract/schemas';
import { isUuid } from '../command/accept.ts';
import { upsertStatement } from '../exams/candidates/upsert.ts';
import { newId } from '../command/newId.ts';

export interface TakenCandidate {
  id: string;
  /** The candidate's only live submission. The exam's lock prevents another one. */
  live: { id: string; isFinalized: boolean } | null;
}

interface Found {
  id: string;
  is_erased: boolean;
  live_id: string | null;
  is_finalized: boolean;
}

/**
 * Creates, updates or finds the candidate of a submission and registers it on the exam, in one round trip.
 * @throws DomainFailure candidate_not_found
 */
export const takeCandidate = async (
  tx: Tx,
  instituteId: string,
  examId: string,
  { candidate, candidate_id: id }: Pick<SubmissionCreate, 'candidate' | 'candidate_id'>,
): Promise<TakenCandidate> => {
  if (candidate == null && !isUuid(id ?? '')) throw new DomainFailure('candidate_not_found');
  // Both lock the candidate's row before the next statement reads it. The lock orders this transaction against an
  // erasure: the erasure sees the submission, or the next statement sees `erased_at`.
  await write(
    tx,
    candidate == null
      ? sql`select from candidates c where c.institute_id = ${instituteId} and c.id = ${id} for key share`
      : upsertStatement(instituteId, [{ ...candidate, id: newId() }]),
  );
  const chosen =
    candidate == null ? sql<boolean>`c.id = ${id}` : sql<boolean>`c.external_id = ${candidate.external_id}`;
  const [[found]] = await send(tx, registered(instituteId, examId, chosen));
  if (found === undefined) throw new DomainFailure('candidate_not_found');
  if (found.is_erased)
    // An erasure gives a candidate a new external id, which a client may have read and sent.
    throw new DomainFailure(
      'candidate_not_found',
      candidate == null ? {} : { details: { candidate_ids: [found.id] } },
    );
  return {
    id: found.id,
    live: found.live_id === null ? null : { id: found.live_id, isFinalized: found.is_finalized },
  };
};

/** Registers the chosen candidate `c` unless it is registered or erased, and reads its live submission of the exam. */
const registered = (
  instituteId: string,
  examId: string,
  chosen: RawBuilder<boolean>,
): RawBuilder<Found> => sql<Found>`
  with made as (
    insert into registrations (id, institute_id, exam_id, candidate_id)
    select ${newId()}::uuid, ${instituteId}::uuid, ${examId}::uuid, c.id from candidates c
    where c.institute_id = ${instituteId} and ${chosen} and c.erased_at is null
    on conflict (exam_id, candidate_id) do nothing)
  select c.id, c.erased_at is not null as is_erased, s.id as live_id, s.finalized_at is not null as is_finalized
  from candidates c
  left join submissions s on s.institute_id = c.institute_id and s.exam_id = ${examId} and s.candidate_id = c.id
    and s.state = 'live'
  where c.institute_id = ${instituteId} and ${chosen}`;
