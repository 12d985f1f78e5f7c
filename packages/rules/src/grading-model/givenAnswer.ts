import type { Box } from './pageReading.ts';

/** The candidate's answer to one question: typed, or read from a copy. */
export interface GivenAnswer {
  text: string;
  /** 0..1; null for a typed answer. */
  legibility: number | null;
  /** Places of the text on the copy; [] for a typed answer. */
  blocks: { page: number; box: Box; text: string }[];
  /** true if the text was cut because more was assigned to the question than an answer can hold. */
  cut?: boolean;
  /**
   * true if there is no text but traces of an answer: its label alone, the printed question alone, its label on a line
   * of another answer; or if labels alone decided that there is none.
   */
  isUnclear?: boolean;
}
