import type { GuideConstants } from './constants.ts';
import { BUCKETS, type Features } from './features.ts';

/**
 * Similarity of two texts, 0..1: the cosine of their word stems and that of their letter n-grams, weighted. A text
 * without words is like none, not even itself.
 */
export function similarityOf(
  a: Features,
  b: Features,
  constants: Pick<GuideConstants, 'stemWeight'>,
): number {
  const index = indexTexts([b], constants);
  return index.similaritiesTo(a)[0] ?? 0;
}

export interface TextIndex {
  /** Similarity of a text to each text of the index, in their order. */
  similaritiesTo: (text: Features) => Float64Array;
}

/** Compares one text with many in time proportional to the features that they share. */
export function indexTexts(
  texts: readonly Features[],
  { stemWeight }: Pick<GuideConstants, 'stemWeight'>,
): TextIndex {
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
}

interface Postings {
  /** Places of the texts that have the feature of a bucket. */
  texts: readonly (readonly number[] | undefined)[];
  sizes: readonly number[];
}

function postingsOf(lists: readonly (readonly number[])[]): Postings {
  const texts = Array.from<number[] | undefined>({ length: BUCKETS });
  for (const [place, list] of lists.entries()) {
    for (const bucket of list) {
      const known = texts[bucket];
      if (known === undefined) texts[bucket] = [place];
      else known.push(place);
    }
  }
  return { texts, sizes: lists.map((list) => list.length) };
}

/** Cosines of sets: the number of shared features by the geometric mean of the sizes. Counts are exact in any order. */
function addCosines(
  similarities: Float64Array,
  features: readonly number[],
  { texts, sizes }: Postings,
  weight: number,
): void {
  const shared = new Float64Array(similarities.length);
  for (const feature of features) {
    for (const place of texts[feature] ?? []) shared[place] = (shared[place] ?? 0) + 1;
  }
  for (const [place, count] of shared.entries()) {
    if (count === 0) continue;
    const cosine = count / Math.sqrt(features.length * (sizes[place] ?? 1));
    similarities[place] = (similarities[place] ?? 0) + weight * cosine;
  }
}
