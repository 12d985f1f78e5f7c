import type { Services } from '../../command/services.ts';

/** Names of members of staff by id. Ids of API keys and of other institutes have none. */
export const staffNames = async (
  { database }: Pick<Services, 'database'>,
  instituteId: string,
  ids: readonly string[],
): Promise<Map<string, string>> => {
  if (ids.length === 0) return new Map();
  const people = await database.control.staff.findMany({
    where: { institute_id: instituteId, id: { in: [...ids] } },
    select: { id: true, name: true },
  });
  return new Map(people.map(({ id, name }) => [id, name]));
};
