import type { Tx } from '@evaluation/database';

/**
 * Redacts a candidate in stored outcomes. The outcomes stay, so that repeated requests do not run again. Every outcome
 * that shows a candidate contains its id.
 */
export const forgetCandidate = async (tx: Tx, instituteId: string, candidateId: string): Promise<void> => {
  const kept = await tx
    .selectFrom('idempotency_records')
    .select(['key', 'outcome'])
    .where('institute_id', '=', instituteId)
    .where('outcome', 'like', `%${candidateId}%`)
    .orderBy('key')
    .execute();
  for (const { key, outcome } of kept) {
    await tx
      .updateTable('idempotency_records')
      .set({ outcome: JSON.stringify(withoutCandidate(JSON.parse(outcome), candidateId)) })
      .where('institute_id', '=', instituteId)
      .where('key', '=', key)
      .where('outcome', '=', outcome)
      .execute();
  }
};

const PERSONAL = new Set(['name', 'roll_number', 'section_or_class', 'metadata']);

/** Redacts the candidate in lists and in its submissions, and the metadata of those submissions. */
const withoutCandidate = (value: unknown, candidateId: string): unknown => {
  if (Array.isArray(value)) return value.map((item) => withoutCandidate(item, candidateId));
  if (!isObject(value)) return value;
  const isCandidate = value['id'] === candidateId;
  const isTheirs = isObject(value['candidate']) && value['candidate']['id'] === candidateId;
  return Object.fromEntries(
    Object.entries(value).map(([field, held]) => {
      if (isCandidate && field === 'external_id') return [field, `erased-${candidateId}`];
      if (isCandidate && PERSONAL.has(field)) return [field, null];
      if (isTheirs && field === 'metadata') return [field, null];
      return [field, withoutCandidate(held, candidateId)];
    }),
  );
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
