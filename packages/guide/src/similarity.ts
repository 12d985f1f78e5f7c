import type { GuideConstants } from './constants.ts';
import { BUCKETS, type Features } from './features.ts';

/**
 * Similarity of two texts, 0..1: the cosine of their word stems and that of their letter n-grams, weighted. A text
 * without words has the similarity 0 to every text, even to itself.
 */
export const similarityOf = (
  a: Features,
  b: Features,
  constants: Pick<GuideConstants, 'stemWeight'>,
): number => {
  const index = indexTexts([b], constants);
  return index.similaritiesTo(a)[0] ?? 0;
};

export interface TextIndex {
  /** Similarity of a text to each text of the index, in their order. */
  similaritiesTo: (text: Features) => Float64Array;
}

/** Compares one text with many in time proportional to the features that they share. */
export const indexTexts = (
  texts: readonly Features[],
  { stemWeight }: Pick<GuideConstants, 'stemWeight'>,
): TextIndex => {
  const stems = postingsOf(texts.map((text) => text.stems));
  const grams = postingsOf(texts.map((text) => text.grams));
  return {
    similaritiesTo: (text) => {
      const similarities = new Float64Array(texts.length);
      addCosines(similarities, text.stems, stems, stemWeight);
      addCosines(similarities, text.grams, grams, 1 - stemWeight);
      return similarities;
    },
  };
};

/** Texts by feature: those of bucket b are `places[starts[b]]` to `places[starts[b + 1] - 1]`. */
interface Postings {
  starts: Int32Array;
  places: Uint16Array;
  /** Number of features of each text. */
  sizes: readonly number[];
}

const postingsOf = (lists: readonly Uint16Array[]): Postings => {
  const starts = new Int32Array(BUCKETS + 1);
  for (const list of lists) for (const bucket of list) starts[bucket + 1] = (starts[bucket + 1] ?? 0) + 1;
  for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
    starts[bucket + 1] = (starts[bucket + 1] ?? 0) + (starts[bucket] ?? 0);
  }
  const next = starts.slice();
  const places = new Uint16Array(starts[BUCKETS] ?? 0);
  for (const [place, list] of lists.entries()) {
    for (const bucket of list) {
      const at = next[bucket] ?? 0;
      places[at] = place;
      next[bucket] = at + 1;
    }
  }
  return { starts, places, sizes: lists.map((list) => list.length) };
};

/**
 * Cosines of sets: the number of shared features, divided by the geometric mean of the sizes. Counts are exact in any
 * order.
 */
const addCosines = (
  similarities: Float64Array,
  features: Uint16Array,
  { starts, places, sizes }: Postings,
  weight: number,
): void => {
  const shared = new Int32Array(similarities.length);
  for (let index = 0; index < features.length; index += 1) {
    const feature = features[index] ?? 0;
    const end = starts[feature + 1] ?? 0;
    for (let at = starts[feature] ?? 0; at < end; at += 1) {
      const place = places[at] ?? 0;
      shared[place] = (shared[place] ?? 0) + 1;
    }
  }
  for (let place = 0; place < shared.length; place += 1) {
    const count = shared[place] ?? 0;
    if (count === 0) continue;
    const cosine = count / Math.sqrt(features.length * (sizes[place] ?? 1));
    similarities[place] = (similarities[place] ?? 0) + weight * cosine;
  }
};
