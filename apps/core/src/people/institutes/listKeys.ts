import type { Services } from '../../command/services.ts';
import { termsOf, type KeyTerms } from './manageKeys.ts';

interface KeyPosition {
  created_at: string;
  id: string;
}

/** A key as a list shows it, with the name of the member of staff who made it. */
interface ListedKey extends KeyTerms {
  maker: string | null;
}

/** Newest first, revoked ones included. The answer contains no key, because only hashes are stored. */
export const listKeys = async (
  { database }: Services,
  instituteId: string,
  {
    limit,
    before,
    made_by: maker,
  }: { limit: number; before?: KeyPosition | undefined; made_by?: string | undefined },
): Promise<{ data: ListedKey[]; next_before: KeyPosition | null }> => {
  const rows = await database.control.api_keys.findMany({
    where: {
      institute_id: instituteId,
      // Of a person, only the keys that still open something.
      ...(maker === undefined ? {} : { made_by: maker, revoked_at: null }),
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
  const shown = rows.slice(0, limit).map(termsOf);
  const staff = await database.control.staff.findMany({
    select: { id: true, name: true },
    where: {
      institute_id: instituteId,
      id: { in: shown.flatMap(({ made_by: id }) => (id === null ? [] : [id])) },
    },
  });
  const names = new Map(staff.map(({ id, name }) => [id, name]));
  const data = shown.map((key) => ({ ...key, maker: names.get(key.made_by ?? '') ?? null }));
  const last = data.at(-1);
  const isMore = rows.length > limit && last !== undefined;
  return { data, next_before: isMore ? { created_at: last.created_at, id: last.key_id } : null };
};
