import type { Tx } from '@evaluation/database';

/**
 * Takes a candidate out of the outcomes that are kept for 48 hours. The outcomes stay: a request that is repeated must
 * still not happen twice, and is answered with what is left. Every outcome that shows a candidate shows its id.
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

/** The candidate itself, in any list or inside its submission, and the metadata of that submission. */
export const withoutCandidate = (value: unknown, candidateId: string): unknown => {
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
