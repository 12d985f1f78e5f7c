/*
 * Which candidate a file belongs to, by its name: `17.pdf`, `17 Asha Rao.pdf` and `physics_17.pdf` are the copy of the
 * candidate with roll number or id 17.
 */

interface Matchable {
  id: string;
  external_id: string;
  roll_number: string | null;
}

/** Lower-case letters and digits of any script, without other characters and leading zeros. */
const normal = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]/gu, '')
    .replace(/^0+(?=.)/, '');

const stemOf = (fileName: string): string => fileName.replace(/\.pdf$/i, '');

const partsOf = (stem: string): string[] => stem.split(/[\s_,;.()[\]]+/u).filter((part) => part !== '');

/**
 * Finds the candidate of each file. The whole name is compared first and then its parts. A name that fits several
 * candidates is left out. If several files fit one candidate equally well, they are left out too.
 * @returns the id of the candidate by file name, for the files that have one
 */
export const matchFiles = (
  fileNames: readonly string[],
  candidates: readonly Matchable[],
): Map<string, string> => {
  const owners = new Map<string, Set<string>>();
  for (const { id, external_id, roll_number } of candidates) {
    for (const name of [external_id, roll_number ?? '']) {
      const key = normal(name);
      if (key === '') continue;
      owners.set(key, (owners.get(key) ?? new Set()).add(id));
    }
  }
  const found = new Map<string, { id: string; isWhole: boolean }>();
  for (const fileName of new Set(fileNames)) {
    const stem = stemOf(fileName);
    const whole = onlyOwner(owners, [stem]);
    const part = whole ?? onlyOwner(owners, partsOf(stem));
    if (part !== null) found.set(fileName, { id: part, isWhole: whole !== null });
  }
  const best = new Map<string, number>();
  const rank = ({ isWhole }: { isWhole: boolean }): number => (isWhole ? 1 : 0);
  for (const match of found.values()) best.set(match.id, Math.max(best.get(match.id) ?? 0, rank(match)));
  const chosen = [...found].filter(([, match]) => rank(match) === best.get(match.id));
  const times = new Map<string, number>();
  for (const [, { id }] of chosen) times.set(id, (times.get(id) ?? 0) + 1);
  return new Map(chosen.filter(([, { id }]) => times.get(id) === 1).map(([name, { id }]) => [name, id]));
};

const onlyOwner = (
  owners: ReadonlyMap<string, ReadonlySet<string>>,
  names: readonly string[],
): string | null => {
  const ids = new Set(names.flatMap((name) => [...(owners.get(normal(name)) ?? [])]));
  const [id] = ids;
  return ids.size === 1 && id !== undefined ? id : null;
};
