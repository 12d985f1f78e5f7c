import { sql } from 'kysely';
import { send, type Tx } from '@evaluation/database';
import { newId } from '../../command/newId.ts';

interface Registration {
  id: string;
  isNew: boolean;
}

/**
 * Registers candidates on an exam in one statement; existing registrations stay unchanged. The caller holds the exam's
 * lock, as every command that registers or unregisters does. The two halves of the union see the same snapshot, and the
 * lock keeps other transactions from changing rows between them.
 * @returns the registration of each candidate id
 */
export const registerCandidates = async (
  tx: Tx,
  instituteId: string,
  examId: string,
  candidateIds: readonly string[],
): Promise<Map<string, Registration>> => {
  if (candidateIds.length === 0) return new Map();
  const rows = JSON.stringify(candidateIds.map((candidate_id) => ({ id: newId(), candidate_id })));
  const [registered] = await send(
    tx,
    sql<{ id: string; candidate_id: string; is_new: boolean }>`
    with made as (
      insert into registrations (id, institute_id, exam_id, candidate_id)
      select id, ${instituteId}, ${examId}, candidate_id
      from jsonb_to_recordset(${rows}::jsonb) as sent(id uuid, candidate_id uuid)
      order by candidate_id
      on conflict (exam_id, candidate_id) do nothing
      returning id, candidate_id)
    select id, candidate_id, true as is_new from made
    union all
    select id, candidate_id, false from registrations
    where institute_id = ${instituteId} and exam_id = ${examId} and candidate_id = any(${candidateIds}::uuid[])
  `,
  );
  return new Map(registered.map(({ id, candidate_id, is_new }) => [candidate_id, { id, isNew: is_new }]));
};
