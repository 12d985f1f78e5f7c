export interface Pair {
  questionId: string;
  maxMarks: number;
  human: number;
  second: number | null;
  machine: number;
  group: string | null;
  /** As the service shows it; null for blank answers, which are marked by code. */
  confidence: number | null;
  /**
   * Confidence before the table; null for blank answers and where a rule holds the confidence below the review line.
   */
  rawConfidence: number | null;
  line: number;
  id: string | null;
}

/** Tolerance for rounding errors of shares. */
const HAIR = 1e-9;

export const BANDS = ['lower third', 'middle third', 'upper third'] as const;
type Band = (typeof BANDS)[number];

export const bandOf = ({ human, maxMarks }: Pick<Pair, 'human' | 'maxMarks'>): Band => {
  const share = human / maxMarks;
  if (share < 1 / 3 - HAIR) return 'lower third';
  return share > 2 / 3 + HAIR ? 'upper third' : 'middle third';
};
