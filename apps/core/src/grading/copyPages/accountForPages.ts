import { HARDLY_LEGIBLE, type RecordedPage } from '@evaluation/rules/grading-model';

/** Content of a page of a copy, derived from its reading and from the alignment of blocks to questions. */
export interface AccountedPage {
  page: number;
  /**
   * `answers`: holds a part of an answer; `unassigned`: holds writing and no part of an answer; `blank`: nothing is
   * written on it; `unreadable`: its reading is hardly legible or missing (legibility 0); `not_read`: there is no
   * reading of it.
   */
  holds: 'answers' | 'unassigned' | 'blank' | 'unreadable' | 'not_read';
  /** Questions whose answers lie on the page, in paper order, from 1. */
  questions: number[];
  /** Blocks of writing that belong to no question, without struck-out ones, and regions that the reader left out. */
  unassigned: number;
  /** 0..1; null without a reading. */
  legibility: number | null;
}

/** An entry of a run's alignment: the blocks of question `number`, the 1-based place on the paper. */
interface Aligned {
  number: number;
  blocks: { page: number; block: number }[];
}

export const accountForPages = (
  pages: number,
  readings: readonly RecordedPage[],
  alignment: readonly Aligned[],
): AccountedPage[] => {
  const readingOf = new Map(readings.map((reading) => [reading.page, reading]));
  const questionsOf = new Map<string, number[]>();
  for (const { number, blocks } of alignment) {
    for (const { page, block } of blocks) {
      const key = `${page}/${block}`;
      questionsOf.set(key, [...(questionsOf.get(key) ?? []), number]);
    }
  }
  return Array.from({ length: pages }, (_, index): AccountedPage => {
    const page = index + 1;
    const reading = readingOf.get(page);
    if (reading === undefined)
      return { page, holds: 'not_read', questions: [], unassigned: 0, legibility: null };
    const { blocks, legibility, unread } = reading;
    const assigned = blocks.map((_block, place) => questionsOf.get(`${page}/${place}`) ?? []);
    const questions = [...new Set(assigned.flat())].toSorted((a, b) => a - b);
    const stray = blocks.filter(
      ({ crossedOut, text }, place) => !crossedOut && text.trim() !== '' && assigned[place]?.length === 0,
    );
    const unassigned = stray.length + unread.length;
    const holds =
      legibility < HARDLY_LEGIBLE
        ? 'unreadable'
        : questions.length > 0
          ? 'answers'
          : unassigned > 0
            ? 'unassigned'
            : 'blank';
    return { page, holds, questions, unassigned, legibility };
  });
};
