import type { Services } from '../../command/services.ts';
import { termsOf, type KeyTerms } from './manageKeys.ts';

interface KeyPosition {
  created_at: string;
  id: string;
}

/** Newest first, revoked ones included. The answer contains no key, because only hashes are stored. */
export const listKeys = async (
  { database }: Services,
  instituteId: string,
  { limit, before }: { limit: number; before?: KeyPosition | undefined },
): Promise<{ data: KeyTerms[]; next_before: KeyPosition | null }> => {
  const rows = await database.control.api_keys.findMany({
    where: {
      institute_id: instituteId,
      ...(before === undefined
        ? {}
        : {
            OR: [
              { created_at: { lt: new Date(before.created_at) } },
              { created_at: new Date(before.created_at), id: { lt: before.id } },
            ],
          }),
    },
    orderBy: [{ created_at: 'desc' }, { id: 'desc' }],
    take: limit + 1,
  });
  const data = rows.slice(0, limit).map(termsOf);
  const last = data.at(-1);
  const isMore = rows.length > limit && last !== undefined;
  return { data, next_before: isMore ? { created_at: last.created_at, id: last.key_id } : null };
};
