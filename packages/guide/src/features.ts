import type { GuideConstants } from './constants.ts';
import { stemOf, wordsOf } from './words.ts';

/** Buckets of the hashes of stems and of n-grams. Two stems, or two n-grams, that share a bucket count as equal. */
export const BUCKETS = 2 ** 15;

/** Distinct word stems and letter n-grams of a text, as buckets. How often each occurs does not count. */
export interface Features {
  stems: Uint16Array;
  grams: Uint16Array;
}

/** Words whose features are kept; the cache is emptied when it is full. */
const MOST_CACHED_WORDS = 20_000;

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
  const cache = new Map<string, { stem: Uint16Array; grams: Uint16Array }>();
  const stems = distinctBuckets();
  const grams = distinctBuckets();
  const ofWord = (word: string): { stem: Uint16Array; grams: Uint16Array } => {
    const known = cache.get(word);
    if (known !== undefined) return known;
    if (cache.size >= MOST_CACHED_WORDS) cache.clear();
    const made = { stem: Uint16Array.of(bucketOf(stemOf(word))), grams: gramsOf(word, constants) };
    cache.set(word, made);
    return made;
  };
  return {
    read: (text) => {
      for (const word of new Set(wordsOf(text))) {
        const found = ofWord(word);
        stems.add(found.stem);
        grams.add(found.grams);
      }
      return { stems: stems.take(), grams: grams.take() };
    },
  };
};

/** Collects buckets, each once. */
const distinctBuckets = () => {
  const isFound = new Uint8Array(BUCKETS);
  const found = new Uint16Array(BUCKETS);
  let size = 0;
  return {
    add: (buckets: Uint16Array): void => {
      let count = size;
      for (let at = 0; at < buckets.length; at += 1) {
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
const gramsOf = (word: string, { shortestGram, longestGram }: Lengths): Uint16Array => {
  const padded = ` ${word} `;
  const grams: number[] = [];
  for (let start = 0; start < padded.length; start += 1) {
    const end = Math.min(start + longestGram, padded.length);
    let hash = FIRST_HASH;
    for (let at = start; at < end; at += 1) {
      hash = nextHash(hash, padded.charCodeAt(at));
      if (at - start + 1 >= shortestGram) grams.push(folded(hash));
    }
  }
  return Uint16Array.from(new Set(grams));
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
