import type { ReadBlock } from '../grader.ts';

/** Far more than fits on a handwritten page. The readings of a copy are at most 80 times as large. */
const MOST_BLOCKS = 300;
const MOST_TEXT = 30_000;

/** The first blocks within the bounds of a page; the others are dropped. */
export const boundBlocks = (blocks: readonly ReadBlock[]): ReadBlock[] => {
  let length = 0;
  const end = blocks.findIndex(({ text }, index) => {
    length += text.length;
    return length > MOST_TEXT || index >= MOST_BLOCKS;
  });
  return end === -1 ? [...blocks] : blocks.slice(0, end);
};
