import type { FittedGuide } from './fit.ts';

interface Neighbour {
  id: string;
  /** 0..1 */
  similarity: number;
}

/**
 * The examples most like a text, the nearest first; equal ones by id. Examples that share nothing with it are left
 * out.
 */
export const nearestExamples = (guide: FittedGuide, text: string, count: number): Neighbour[] => {
  const similarities = guide.index.similaritiesTo(guide.reader.read(text));
  return guide.model.examples
    .map(({ id }, place) => ({ id, similarity: similarities[place] ?? 0 }))
    .filter(({ similarity }) => similarity > 0)
    .toSorted((a, b) => b.similarity - a.similarity)
    .slice(0, count);
};
