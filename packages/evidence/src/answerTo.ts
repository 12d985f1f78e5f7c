import type { AlignedAnswer, Box, PageReading } from '@evaluation/grader';

/** What was answered to one question: typed, or read from a copy with the places where it stands. */
export interface GivenAnswer {
  text: string;
  legibility: number | null;
  blocks: { page: number; box: Box; text: string }[];
  /** More was assigned to the question than anybody writes, and the rest is left out. */
  cut?: boolean;
}

/**
 * The most that one answer may be made of: thrice what may be typed (spec 4.7, rule 5), and some 30 full pages by hand. An
 * aligner that gives every block to every question would have each prompt hold the whole copy.
 */
const LONGEST_ANSWER = 60_000;

/**
 * What came of a call, with what was wrong with the model's output and was put right (`Answered.problems`): on the
 * first of them, for all of them.
 */
interface PutRight {
  problems?: string[] | undefined;
}
export type ReadPage = PageReading & PutRight;
export type FoundAnswer = AlignedAnswer & PutRight;

/** A copy once it is read: its pages, and which blocks of them answer which question. */
export interface ReadCopy {
  pages: readonly ReadPage[];
  alignment: readonly FoundAnswer[];
}

/** The blocks of one question of a copy, joined in reading order, as far as they may go. @param number of the question on the paper, from 1 */
export const answerTo = (number: number, { pages, alignment }: ReadCopy): GivenAnswer => {
  const byPage = new Map(pages.map((page) => [page.page, page]));
  const blocks = (alignment.find((answer) => answer.number === number)?.blocks ?? []).flatMap(
    ({ page, block }) => {
      const reading = byPage.get(page);
      const found = reading?.blocks[block];
      return reading === undefined || found === undefined || found.crossedOut
        ? []
        : [{ page, box: found.box, text: found.text, legibility: reading.legibility }];
    },
  );
  const kept = asFarAs(LONGEST_ANSWER, blocks);
  return {
    text: kept.map(({ text }) => text).join('\n'),
    legibility: kept.length === 0 ? null : Math.min(...kept.map(({ legibility }) => legibility)),
    blocks: kept.map(({ page, box, text }) => ({ page, box, text })),
    ...(kept.length < blocks.length ? { cut: true } : {}),
  };
};

/** Whole blocks, up to where they hold more together; line breaks between them count. */
const asFarAs = <B extends { text: string }>(most: number, blocks: readonly B[]): B[] => {
  let length = 0;
  const end = blocks.findIndex(({ text }) => {
    length += text.length + 1;
    return length > most;
  });
  return end === -1 ? [...blocks] : blocks.slice(0, end);
};
