import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Tx } from '@evaluation/database';
import type { Problem } from '@evaluation/rest-contract/field-errors';
import type { CandidateInput } from '@evaluation/rest-contract/schemas';

/**
 * Creates or updates candidates in one statement, matched on `external_id` (spec 2.4): what is sent replaces, what is
 * left out or `null` keeps. Rows that would not change are not touched. Sorted, so that two calls lock in one order.
 * @returns the candidate id of each `external_id`
 */
export const upsertCandidates = async (
  tx: Tx,
  instituteId: string,
  candidates: readonly CandidateInput[],
): Promise<Map<string, string>> => {
  if (candidates.length === 0) return new Map();
  const rows = JSON.stringify(candidates.map((candidate) => ({ ...candidate, id: randomUUID() })));
  await sql`
    insert into candidates (id, institute_id, external_id, name, roll_number, section_or_class, metadata)
    select id, ${instituteId}, external_id, name, roll_number, section_or_class, metadata
    from jsonb_to_recordset(${rows}::jsonb) as sent(
      id uuid, external_id text, name text, roll_number text, section_or_class text, metadata jsonb)
    order by external_id
    on conflict (institute_id, external_id) do update set
      name = coalesce(excluded.name, candidates.name),
      roll_number = coalesce(excluded.roll_number, candidates.roll_number),
      section_or_class = coalesce(excluded.section_or_class, candidates.section_or_class),
      metadata = coalesce(excluded.metadata, candidates.metadata)
    where (candidates.name, candidates.roll_number, candidates.section_or_class, candidates.metadata)
      is distinct from (
        coalesce(excluded.name, candidates.name), coalesce(excluded.roll_number, candidates.roll_number),
        coalesce(excluded.section_or_class, candidates.section_or_class), coalesce(excluded.metadata, candidates.metadata))
  `.execute(tx);
  const found = await tx
    .selectFrom('candidates')
    .select(['id', 'external_id'])
    .where('institute_id', '=', instituteId)
    .where('external_id', '=', sql<string>`any(${candidates.map(({ external_id }) => external_id)})`)
    .execute();
  return new Map(found.map(({ id, external_id }) => [external_id, id]));
};

/** Registers candidates on an exam; those that are registered already stay as they are. */
export const registerCandidates = async (
  tx: Tx,
  instituteId: string,
  examId: string,
  candidateIds: readonly string[],
): Promise<void> => {
  if (candidateIds.length === 0) return;
  const rows = JSON.stringify(candidateIds.map((candidate_id) => ({ id: randomUUID(), candidate_id })));
  await sql`
    insert into registrations (id, institute_id, exam_id, candidate_id)
    select id, ${instituteId}, ${examId}, candidate_id
    from jsonb_to_recordset(${rows}::jsonb) as sent(id uuid, candidate_id uuid)
    order by candidate_id
    on conflict (exam_id, candidate_id) do nothing
  `.execute(tx);
};

/** The same `external_id` twice in one request is refused (spec 4.5). */
export const repeatedCandidates = (candidates: readonly CandidateInput[], at: string): Problem[] => {
  const seen = new Set<string>();
  return candidates.flatMap(({ external_id }, index) => {
    const repeated = seen.has(external_id);
    seen.add(external_id);
    return repeated
      ? [{ field: `${at}[${index}].external_id`, code: 'duplicate', message: 'Named twice in this request.' }]
      : [];
  });
};
