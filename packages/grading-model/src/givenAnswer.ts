import type { Box } from './pageReading.ts';

/** What was answered to one question: typed, or read from a copy with the places where it stands. */
export interface GivenAnswer {
  text: string;
  /** 0..1; null for a typed answer. */
  legibility: number | null;
  /** Where the text stands on the copy; [] for a typed answer. */
  blocks: { page: number; box: Box; text: string }[];
  /** The text is cut: more was assigned to the question than an answer can hold. */
  cut?: boolean;
  /** All that was read is labels, of questions or of something else: the candidate wrote there, and it is not known what. */
  isLabelAlone?: boolean;
}
