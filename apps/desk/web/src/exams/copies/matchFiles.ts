/*
 * Which candidate a file belongs to, by its name. `17.pdf` and `Roll-17.pdf` name the candidate with roll number or id
 * 17, and so does `17 Asha Rao.pdf` if that is the candidate's name. `physics_17.pdf` is a guess that a person
 * confirms, because scanners write dates, times and counters into names: `Scan 2026-11-25 18.00.pdf`,
 * `Document (2).pdf` and `Unit 3.pdf` name no candidate.
 */

interface Matchable {
  id: string;
  external_id: string;
  roll_number: string | null;
  name?: string | null;
}

interface FileMatch {
  /** Id of the candidate. */
  id: string;
  /** False for a guess from a part of the name. */
  isCertain: boolean;
}

/** Lower-case letters and digits of any script, without other characters and leading zeros. */
const normal = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]/gu, '')
    .replace(/^0+(?=.)/, '');

const stemOf = (fileName: string): string => fileName.normalize('NFKC').replace(/\.pdf$/i, '');

/** A word that says that a roll number or an id follows: `Roll no. 7`, `R-7`, `roll7`, `id_7`. */
const NUMBER_WORD = String.raw`(?:roll|r|no|nr|id|number|candidate|seat|reg)`;
const WHOLE_WITH_WORD = new RegExp(String.raw`^(?:${NUMBER_WORD}[\s_.:#-]*)+(?=\p{N})`, 'iu');

const MONTH = String.raw`(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*`;
/** Parts of a name that a scanner or a phone writes by itself. */
const OF_THE_SCANNER = [
  // Dates: 2026-11-25, 25.11.2026, 11-25-26, 20261125, Nov 25, 2026, 25-Nov-2026.
  /(?<!\d)\d{1,4}([-./_])\d{1,2}\1\d{1,4}(?!\d)/gu,
  /(?<!\d)(?:19|20)\d{6}(?!\d)/gu,
  new RegExp(
    String.raw`(?<![a-z])${MONTH}[\s._-]*\d{1,2}(?:st|nd|rd|th)?[\s.,_-]*(?:(?:19|20)\d\d)?(?!\d)`,
    'giu',
  ),
  new RegExp(
    String.raw`(?<!\d)\d{1,2}(?:st|nd|rd|th)?[\s._-]*${MONTH}(?:[\s.,_-]*(?:19|20)\d\d)?(?![a-z\d])`,
    'giu',
  ),
  // Times: 18.00, 17:45:03, 17h45, 6 pm, and the digits beside a date: 20261125_174503.
  /(?<!\d)\d{1,2}[.:h]\d{2}(?:[.:]\d{2})?(?:\s*[ap]\.?m\b\.?)?(?!\d)/giu,
  /(?<!\d)\d{1,2}\s*[ap]m\b/giu,
  /(?<=^|[\s_-])\d{6}(?=$|[\s_-])/gu,
  // Counters: (2), copy 2.
  /\(\s*\d+\s*\)/gu,
];
/** A word before a number that makes it something else than a roll number: Scan 3, Class 10, Unit 3, v2. */
const NUMBER_OF_ANOTHER = /(?<word>\p{L}[\p{L}\p{M}]*)[\s.#_-]*(?<number>\p{N}+)(?!\p{L})/gu;
const IS_NUMBER_WORD = new RegExp(`^${NUMBER_WORD}$`, 'iu');
/** Letters that are the beginning of an id such as `S-0018` or a subject before a roll number such as `physics_18`. */
const SCANNER_WORD =
  /^(?:adobe|scan\p{L}*|cam\p{L}*|doc\p{L}*|img|image|photo|pic|picture|file|copy|copies|page|pages|to|class|std|standard|grade|form|sem|semester|term|unit|chapter|ch|part|paper|set|section|sec|exam|test|quiz|series|year|v|ver|version|rev|new|lens|office|note\p{L}*|vol|batch|day|week|q|question|ans\p{L}*|attempt|untitled|screenshot|whatsapp)$/iu;

const withoutNoise = (stem: string): string => {
  const rest = OF_THE_SCANNER.reduce((text, pattern) => text.replaceAll(pattern, ' '), stem);
  return rest.replaceAll(NUMBER_OF_ANOTHER, (match: string, word: string, number: string) => {
    if (IS_NUMBER_WORD.test(word)) return ` ${number}`;
    return SCANNER_WORD.test(word) ? ' ' : match;
  });
};

const partsOf = (text: string): string[] => text.split(/[\s_,;.()[\]]+/u).filter((part) => part !== '');

/**
 * Finds the candidate of each file. The whole name is compared first, and then its parts. A name that fits several
 * candidates is left out. If several files fit one candidate equally well, they are left out too.
 * @returns by file name, for the files that fit a candidate
 */
export const matchFiles = (
  fileNames: readonly string[],
  candidates: readonly Matchable[],
): Map<string, FileMatch> => {
  const owners = ownersOf(candidates);
  const nameOf = new Map(candidates.map(({ id, name }) => [id, name ?? '']));
  const found = new Map<string, FileMatch>();
  for (const fileName of new Set(fileNames)) {
    const stem = stemOf(fileName);
    const whole = onlyOwner(owners, [stem]) ?? onlyOwner(owners, [stem.trim().replace(WHOLE_WITH_WORD, '')]);
    const parts = partsOf(withoutNoise(stem));
    const id = whole ?? onlyOwner(owners, parts);
    if (id === null) continue;
    const others = parts.filter((part) => owners.get(normal(part))?.has(id) !== true);
    const isCertain = whole !== null || isNameIn(nameOf.get(id) ?? '', others);
    found.set(fileName, { id, isCertain });
  }
  const certain = new Set([...found.values()].filter(({ isCertain }) => isCertain).map(({ id }) => id));
  const chosen = [...found].filter(([, { id, isCertain }]) => isCertain || !certain.has(id));
  const times = new Map<string, number>();
  for (const [, { id }] of chosen) times.set(id, (times.get(id) ?? 0) + 1);
  return new Map(chosen.filter(([, { id }]) => times.get(id) === 1));
};

/** The candidate whom numbers on a page name, such as a roll number; null if they name none or several. */
export const matchNumbers = (numbers: readonly string[], candidates: readonly Matchable[]): string | null =>
  onlyOwner(ownersOf(candidates), numbers);

/** Ids of candidates by roll number and by id. */
const ownersOf = (candidates: readonly Matchable[]): Map<string, Set<string>> => {
  const owners = new Map<string, Set<string>>();
  for (const { id, external_id, roll_number } of candidates) {
    for (const name of [external_id, roll_number ?? '']) {
      const key = normal(name);
      if (key === '') continue;
      owners.set(key, (owners.get(key) ?? new Set()).add(id));
    }
  }
  return owners;
};

/** True if the words are words of the name, in any order; false without a word. */
const isNameIn = (name: string, words: readonly string[]): boolean => {
  const known = new Set(partsOf(name).map(normal));
  return words.length > 0 && words.every((word) => known.has(normal(word)));
};

const onlyOwner = (
  owners: ReadonlyMap<string, ReadonlySet<string>>,
  names: readonly string[],
): string | null => {
  const ids = new Set(names.flatMap((name) => [...(owners.get(normal(name)) ?? [])]));
  const [id] = ids;
  return ids.size === 1 && id !== undefined ? id : null;
};
