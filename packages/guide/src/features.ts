import type { GuideConstants } from './constants.ts';
import { stemOf, wordsOf } from './words.ts';

/** Buckets of the hashes of stems and of n-grams. Two stems, or two n-grams, that share a bucket count as equal. */
export const BUCKETS = 2 ** 15;

/** Distinct word stems and letter n-grams of a text, as buckets. How often each occurs does not count. */
export interface Features {
  stems: readonly number[];
  grams: readonly number[];
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
  const cache = new Map<string, { stem: number; grams: readonly number[] }>();
  const seenStems = new Int32Array(BUCKETS);
  const seenGrams = new Int32Array(BUCKETS);
  let turn = 0;
  const ofWord = (word: string): { stem: number; grams: readonly number[] } => {
    const known = cache.get(word);
    if (known !== undefined) return known;
    if (cache.size >= MOST_CACHED_WORDS) cache.clear();
    const made = { stem: bucketOf(stemOf(word)), grams: gramsOf(word, constants) };
    cache.set(word, made);
    return made;
  };
  return {
    read: (text) => {
      turn += 1;
      const stems: number[] = [];
      const grams: number[] = [];
      for (const word of new Set(wordsOf(text))) {
        const found = ofWord(word);
        if (seenStems[found.stem] !== turn) {
          seenStems[found.stem] = turn;
          stems.push(found.stem);
        }
        for (const gram of found.grams) {
          if (seenGrams[gram] === turn) continue;
          seenGrams[gram] = turn;
          grams.push(gram);
        }
      }
      return { stems, grams };
    },
  };
};

/** N-grams of a word with a space on either side, so that beginnings and endings count as such. */
const gramsOf = (word: string, { shortestGram, longestGram }: Lengths): number[] => {
  const padded = ` ${word} `;
  const grams: number[] = [];
  for (let length = shortestGram; length <= longestGram; length += 1) {
    for (let start = 0; start + length <= padded.length; start += 1) {
      grams.push(bucketOf(padded.slice(start, start + length)));
    }
  }
  return grams;
};

/** FNV-1a over UTF-16 code units, with the upper bits folded in. */
const bucketOf = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return ((hash >>> 15) ^ hash) & (BUCKETS - 1);
};
