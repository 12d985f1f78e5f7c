import { sql, type RawBuilder } from 'kysely';
import { send, write, type Tx } from '@evaluation/database';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import type { Problem } from '@evaluation/rest-contract/field-errors';
import type { CandidateInput, CandidatesCreated } from '@evaluation/rest-contract/schemas';
import { isRead, type Parts } from '@evaluation/rules';
import { newId } from '../../command/newId.ts';

/**
 * Creates or updates candidates in one statement, matched on `external_id`. Sent values replace the stored ones; absent
 * or `null` values keep them. Unchanged rows are not written. Rows are sorted, so that concurrent calls lock them in
 * the same order. Each `external_id` may occur once only; `repeatedCandidates` checks this.
 * @returns the candidates in the order of the request
 * @throws DomainFailure candidate_not_found if an external id belongs to an erased candidate
 */
export const upsertCandidates = async (
  tx: Tx,
  instituteId: string,
  candidates: readonly CandidateInput[],
): Promise<CandidatesCreated['candidates']> => {
  if (candidates.length === 0) return [];
  const sent = candidates.map((candidate) => ({ ...candidate, id: newId() }));
  await write(tx, upsertStatement(instituteId, sent));
  // A separate statement, so that it sees rows that another call committed while the insert waited for its lock.
  const [found] = await send(
    tx,
    tx
      .selectFrom('candidates')
      .select(['id', 'external_id', 'erased_at'])
      .where('institute_id', '=', instituteId)
      .where(
        'external_id',
        '=',
        sql<string>`any(${candidates.map(({ external_id }) => external_id)}::text[])`,
      ),
  );
  // An erasure gives a candidate a new external id. A client may have read it and sent it; the row stays unchanged.
  const erased = found.filter(({ erased_at }) => erased_at !== null).map(({ id }) => id);
  if (erased.length > 0)
    throw new DomainFailure('candidate_not_found', { details: { candidate_ids: erased } });
  const stored = new Map(found.map(({ id, external_id }) => [external_id, id]));
  return sent.map(({ id: ours, external_id }) => {
    const id = stored.get(external_id);
    if (id === undefined) throw new Error('candidate is missing after its upsert');
    // Of concurrent calls that create the same candidate, only one finds its own id.
    return { id, external_id, created: id === ours };
  });
};

/** Inserts or updates candidates, and locks the rows of those that exist. */
export const upsertStatement = (
  instituteId: string,
  candidates: readonly (CandidateInput & { id: string })[],
): RawBuilder<unknown> => sql`
  insert into candidates (id, institute_id, external_id, name, roll_number, section_or_class, metadata)
  select id, ${instituteId}, external_id, name, roll_number, section_or_class, metadata
  from jsonb_to_recordset(${JSON.stringify(candidates)}::jsonb) as sent(
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
      coalesce(excluded.section_or_class, candidates.section_or_class), coalesce(excluded.metadata, candidates.metadata))`;

/** Reports each `external_id` that occurs twice in a request, on the parts that could be parsed. */
export const repeatedCandidates = (
  candidates: Parts<readonly Pick<CandidateInput, 'external_id'>[]>,
): Problem[] => {
  const seen = new Set<string>();
  if (!isRead(candidates)) return [];
  return candidates.flatMap((candidate, index) => {
    if (!isRead(candidate) || !isRead(candidate.external_id)) return [];
    const repeated = seen.has(candidate.external_id);
    seen.add(candidate.external_id);
    return repeated
      ? [
          {
            field: `candidates[${index}].external_id`,
            code: 'duplicate',
            message: 'Named twice in this request.',
          },
        ]
      : [];
  });
};
