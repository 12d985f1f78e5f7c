import { ROUNDING_TOLERANCE } from '@evaluation/rules';
import type { AnswerFacts } from '../data/readData.ts';

export interface Pair extends Omit<AnswerFacts, 'blank' | 'sha256'> {
  machine: number;
  /** As the service shows it; null for blank answers, which are marked by code. */
  confidence: number | null;
  /** Before the table; null for blank answers and where a rule holds the confidence below the review line. */
  rawConfidence: number | null;
}

export const BANDS = ['lower third', 'middle third', 'upper third'] as const;
type Band = (typeof BANDS)[number];

export const bandOf = ({ human, maxMarks }: Pick<Pair, 'human' | 'maxMarks'>): Band => {
  const share = human / maxMarks;
  if (share < 1 / 3 - ROUNDING_TOLERANCE) return 'lower third';
  return share > 2 / 3 + ROUNDING_TOLERANCE ? 'upper third' : 'middle third';
};
