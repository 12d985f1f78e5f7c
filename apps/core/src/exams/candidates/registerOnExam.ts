import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { CandidatesRegister, type CandidatesRegistered } from '@evaluation/rest-contract/schemas';
import type { Problem } from '@evaluation/rest-contract/field-errors';
import { isRead, type Parts } from '@evaluation/rules';
import type { Actor } from '@evaluation/platform/signed-actor';
import { accept, isUuid, refuse } from '../../command/accept.ts';
import { lockExamFor } from '../../command/locks/lockExam.ts';
import type { Services } from '../../command/services.ts';
import { registerCandidates } from './register.ts';
import { repeatedCandidates, upsertCandidates } from './upsert.ts';

/**
 * Registers candidates on an exam in one transaction: existing candidates by id, or candidates by description, which
 * are created or updated first. Registering a candidate again has no effect.
 * @throws DomainFailure exam_not_found, exam_finalized, validation_failed, candidate_not_found
 */
export const registerOnExam = (
  services: Pick<Services, 'database'>,
  actor: Actor,
  examId: string,
  body: unknown,
): Promise<CandidatesRegistered> =>
  services.database.inTenant(actor.institute_id, async (tx) => {
    const exam = await lockExamFor(tx, actor, examId, 'register');
    const candidates = await takeCandidates(
      tx,
      actor.institute_id,
      // `accept` and not `acceptInSlices`: other calls wait for the exam's lock, which this transaction holds.
      accept(CandidatesRegister, body, tiedProblems),
    );
    const registrations = await registerCandidates(
      tx,
      actor.institute_id,
      exam.id,
      candidates.map(({ id }) => id),
    );
    const made = [...registrations.values()].filter(({ isNew }) => isNew).length;
    return {
      registered: made,
      already_registered: registrations.size - made,
      candidates: candidates.map(({ id, external_id }) => {
        const registration = registrations.get(id);
        if (registration === undefined) throw new Error('registration is missing after its insert');
        return { id, external_id, registration_id: registration.id };
      }),
    };
  });

interface Known {
  id: string;
  external_id: string;
}

const takeCandidates = async (tx: Tx, instituteId: string, request: CandidatesRegister): Promise<Known[]> => {
  const problems = tiedProblems(request);
  if (problems.length > 0) refuse(problems);
  const { candidates, candidate_ids: ids } = request;
  return candidates == null
    ? findCandidates(tx, instituteId, ids ?? [])
    : upsertCandidates(tx, instituteId, candidates);
};

/** Requires exactly one of the two forms and each external_id at most once, on the fields that could be parsed. */
const tiedProblems = (parts: Parts<CandidatesRegister>): Problem[] => {
  if (!isRead(parts)) return [];
  const { candidates, candidate_ids: ids } = parts;
  const repeated = candidates == null ? [] : repeatedCandidates(candidates);
  if ((candidates == null) !== (ids == null)) return repeated;
  const code = candidates == null ? 'required' : 'not_allowed';
  return [
    { field: 'candidates', code, message: 'Send candidates or candidate_ids, exactly one.' },
    ...repeated,
  ];
};

/** @throws DomainFailure candidate_not_found with all unknown ids, spelled as in the request */
const findCandidates = async (tx: Tx, instituteId: string, sent: readonly string[]): Promise<Known[]> => {
  const wanted = new Map(sent.map((id) => [id.toLowerCase(), id]));
  const rows = await tx
    .selectFrom('candidates')
    .select(['id', 'external_id'])
    .where('institute_id', '=', instituteId)
    .where('id', '=', sql<string>`any(${[...wanted.keys()].filter(isUuid)}::uuid[])`)
    .where('erased_at', 'is', null)
    .execute();
  const found = new Map(rows.map((row) => [row.id, row]));
  const unknown = [...wanted].flatMap(([id, asSent]) => (found.has(id) ? [] : [asSent]));
  if (unknown.length > 0)
    throw new DomainFailure('candidate_not_found', { details: { candidate_ids: unknown } });
  return [...wanted.keys()].flatMap((id) => found.get(id) ?? []);
};
