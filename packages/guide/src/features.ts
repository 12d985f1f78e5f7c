import type { GuideConstants } from './constants.ts';
import { stemOf, wordsOf } from './words.ts';

/** Buckets of the hashes of stems and of n-grams. Two stems, or two n-grams, that share a bucket count as equal. */
export const BUCKETS = 2 ** 15;

/** Distinct word stems and letter n-grams of a text, as buckets. How often each occurs does not count. */
export interface Features {
  stems: Uint16Array;
  grams: Uint16Array;
}

export interface FeatureReader {
  read: (text: string) => Features;
}

type Lengths = Pick<GuideConstants, 'shortestGram' | 'longestGram'>;

const readers = new Map<string, FeatureReader>();

/**
 * Reads features of texts. It caches those of words, because answers to one question share most of their words. All
 * guides of a process share the cache, some 8 MB when it is full. It changes no result.
 */
export const featureReaderOf = ({ shortestGram, longestGram }: Lengths): FeatureReader => {
  const key = `${shortestGram} ${longestGram}`;
  const reader = readers.get(key) ?? createFeatureReader({ shortestGram, longestGram });
  readers.set(key, reader);
  return reader;
};

const createFeatureReader = (constants: Lengths): FeatureReader => {
  const words = cachedWords((word) => [bucketOf(stemOf(word)), ...gramsOf(word, constants)]);
  const stems = distinctBuckets();
  const grams = distinctBuckets();
  return {
    read: (text) => {
      for (const word of new Set(wordsOf(text))) {
        const { buckets, start, end } = words.of(word);
        stems.add(buckets, start, start + 1);
        grams.add(buckets, start + 1, end);
      }
      return { stems: stems.take(), grams: grams.take() };
    },
  };
};

/** Bounds of the cache, which is emptied when it is full. A very long word has thousands of buckets. */
const MOST_CACHED_WORDS = 20_000;
const MOST_CACHED_BUCKETS = 2 ** 22;

/** Buckets by word, in one array, because an array for each word is several times slower to read. */
const cachedWords = (read: (word: string) => readonly number[]) => {
  const starts = new Map<string, number>();
  let buckets = new Uint16Array(2 ** 14);
  let used = 0;
  const found = { buckets, start: 0, end: 0 };
  const add = (word: string): number => {
    if (starts.size >= MOST_CACHED_WORDS || used >= MOST_CACHED_BUCKETS) {
      starts.clear();
      used = 0;
    }
    const made = read(word);
    while (used + made.length + 1 > buckets.length) {
      const larger = new Uint16Array(buckets.length * 2);
      larger.set(buckets);
      buckets = larger;
    }
    const start = used;
    buckets[start] = made.length;
    buckets.set(made, start + 1);
    used += made.length + 1;
    starts.set(word, start);
    return start;
  };
  return {
    /** Valid until the next call. */
    of: (word: string): Readonly<typeof found> => {
      const start = starts.get(word) ?? add(word);
      found.buckets = buckets;
      found.start = start + 1;
      found.end = start + 1 + (buckets[start] ?? 0);
      return found;
    },
  };
};

/** Collects buckets, each once. */
const distinctBuckets = () => {
  const isFound = new Uint8Array(BUCKETS);
  const found = new Uint16Array(BUCKETS);
  let size = 0;
  return {
    add: (buckets: Uint16Array, start: number, end: number): void => {
      let count = size;
      for (let at = start; at < end; at += 1) {
        const bucket = buckets[at] ?? 0;
        if (isFound[bucket] === 1) continue;
        isFound[bucket] = 1;
        found[count] = bucket;
        count += 1;
      }
      size = count;
    },
    /** Returns what was added since the last call. */
    take: (): Uint16Array => {
      const taken = found.slice(0, size);
      for (let at = 0; at < size; at += 1) isFound[taken[at] ?? 0] = 0;
      size = 0;
      return taken;
    },
  };
};

/** N-grams of a word with a space on either side, so that beginnings and endings count as such. */
const gramsOf = (word: string, { shortestGram, longestGram }: Lengths): Set<number> => {
  const padded = ` ${word} `;
  const grams = new Set<number>();
  for (let start = 0; start < padded.length; start += 1) {
    const end = Math.min(start + longestGram, padded.length);
    let hash = FIRST_HASH;
    for (let at = start; at < end; at += 1) {
      hash = nextHash(hash, padded.charCodeAt(at));
      if (at - start + 1 >= shortestGram) grams.add(folded(hash));
    }
  }
  return grams;
};

/** FNV-1a over UTF-16 code units, with the upper bits folded in. */
const bucketOf = (text: string): number => {
  let hash = FIRST_HASH;
  for (let index = 0; index < text.length; index += 1) hash = nextHash(hash, text.charCodeAt(index));
  return folded(hash);
};

const FIRST_HASH = 0x811c9dc5;
const nextHash = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193);
const folded = (hash: number): number => ((hash >>> 15) ^ hash) & (BUCKETS - 1);
