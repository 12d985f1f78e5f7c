import { inflateSync } from 'node:zlib';

export type ObjectPosition =
  | { kind: 'offset'; offset: number; generation: number }
  | { kind: 'packed'; container: number; index: number };

interface FoundObjects {
  places: Map<number, ObjectPosition>;
  /** Reference of the document's catalog, such as "1 0 R". */
  root: string | null;
  /** The trailer's /Encrypt and /ID, to be copied into the new table. */
  encryption: string;
}

/** Limit in bytes of all unpacked object streams. The page tree of 80 pages has a few kilobytes. */
const MOST_UNPACKED = 32 * 2 ** 20;
const DICTIONARY_REACH = 4000;
const MOST_PACKED = 100_000;

/**
 * Finds the objects of a PDF by their heads ("12 0 obj"), without its cross-reference table. Content of streams is
 * skipped. Of two objects with the same number the later one counts, as in a file with revisions.
 */
export const findObjects = (file: Buffer): FoundObjects => {
  const text = file.toString('latin1');
  const places = new Map<number, ObjectPosition>();
  const catalogs: number[] = [];
  const roots: number[] = [];
  const containers: Container[] = [];
  let encryption = '';
  let current: { number: number; start: number } | null = null;
  const word = /(\d{1,10})\s{1,10}(\d{1,5})\s{1,10}obj\b|\bstream\r?\n|\btrailer\b/g;
  const noteTrailer = (dictionary: string) => {
    const root = /\/Root\s+(\d+)\s+\d+\s+R/.exec(dictionary);
    if (root !== null) roots.push(Number(root[1]));
    const encrypt = /\/Encrypt\s+\d+\s+\d+\s+R/.exec(dictionary);
    const id = /\/ID\s*\[\s*<[0-9A-Fa-f\s]*>\s*<[0-9A-Fa-f\s]*>\s*\]/.exec(dictionary);
    if (encrypt !== null) encryption = `${encrypt[0]} ${id?.[0] ?? ''}`;
  };
  for (let found = word.exec(text); found !== null; found = word.exec(text)) {
    const [keyword, number, generation] = found;
    if (number !== undefined) {
      current = { number: Number(number), start: word.lastIndex };
      places.delete(current.number);
      places.set(current.number, {
        kind: 'offset',
        offset: found.index,
        generation: Number(generation),
      });
      const end = text.indexOf('endobj', word.lastIndex);
      const body = text.slice(
        word.lastIndex,
        Math.min(end === -1 ? Infinity : end, word.lastIndex + DICTIONARY_REACH),
      );
      if (isCatalog(body)) catalogs.push(current.number);
    } else if (keyword === 'trailer') {
      noteTrailer(text.slice(word.lastIndex, word.lastIndex + DICTIONARY_REACH));
    } else if (current !== null) {
      const dictionary = text.slice(Math.max(current.start, found.index - DICTIONARY_REACH), found.index);
      const end = text.indexOf('endstream', word.lastIndex);
      if (end === -1) continue;
      if (/\/Type\s*\/XRef\b/.test(dictionary)) noteTrailer(dictionary);
      if (/\/Type\s*\/ObjStm\b/.test(dictionary)) {
        const data = file.subarray(word.lastIndex, end);
        containers.push({ number: current.number, dictionary, data });
      }
      word.lastIndex = end;
    }
  }
  // Object streams of an encrypted file cannot be unpacked.
  if (encryption === '') catalogs.push(...unpack(containers, places));
  const root = roots.findLast((number) => catalogs.includes(number)) ?? catalogs.at(-1);
  const place = root === undefined ? undefined : places.get(root);
  if (root === undefined || place === undefined) return { places, root: null, encryption };
  return { places, root: `${root} ${place.kind === 'offset' ? place.generation : 0} R`, encryption };
};

interface Container {
  number: number;
  dictionary: string;
  data: Buffer;
}

/** Adds the objects of object streams to `places`. @returns the numbers of catalogs among them */
const unpack = (containers: readonly Container[], places: Map<number, ObjectPosition>): number[] => {
  const catalogs: number[] = [];
  let left = MOST_UNPACKED;
  for (const { number, dictionary, data } of containers) {
    const content = unpacked(dictionary, data, left);
    if (content === null) continue;
    left -= content.length;
    const [count, first] = ['N', 'First'].map((key) =>
      Number(new RegExp(`/${key}\\s+(\\d+)`).exec(dictionary)?.[1] ?? 0),
    );
    const pairs = content.slice(0, first).trim().split(/\s+/).map(Number);
    for (let index = 0; index < Math.min(count ?? 0, MOST_PACKED, pairs.length / 2); index++) {
      const [packed, offset] = [pairs[index * 2], pairs[index * 2 + 1]];
      if (packed === undefined || offset === undefined || !Number.isSafeInteger(packed)) break;
      // An object outside object streams is assumed to be newer.
      if (places.get(packed)?.kind === 'offset') continue;
      places.set(packed, { kind: 'packed', container: number, index });
      const start = (first ?? 0) + offset;
      const next = pairs[index * 2 + 3];
      const end = next === undefined ? content.length : (first ?? 0) + next;
      if (isCatalog(content.slice(start, Math.min(end, start + DICTIONARY_REACH)))) catalogs.push(packed);
    }
  }
  return catalogs;
};

const unpacked = (dictionary: string, data: Buffer, most: number): string | null => {
  if (!/\/Filter\b/.test(dictionary)) return data.length <= most ? data.toString('latin1') : null;
  if (!/\/Filter\s*\[?\s*\/FlateDecode\s*\]?\s*(\/(?!DecodeParms)|>>)/.test(dictionary) || most < 1)
    return null;
  try {
    return inflateSync(data, { maxOutputLength: most }).toString('latin1');
  } catch {
    return null;
  }
};

const isCatalog = (body: string): boolean => /\/Type\s*\/Catalog\b/.test(body);
