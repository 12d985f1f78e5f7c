import type { ReadBlock } from '../grader.ts';

/** Far more than fits on a page by hand; what a copy's readings may take up in all is 80 times as much. */
const MOST_BLOCKS = 300;
const MOST_TEXT = 30_000;

/** The blocks of a page up to where it holds more than any page can; the others are left out. */
export function boundBlocks(blocks: readonly ReadBlock[]): ReadBlock[] {
  let length = 0;
  const end = blocks.findIndex(({ text }, index) => {
    length += text.length;
    return length > MOST_TEXT || index >= MOST_BLOCKS;
  });
  return end === -1 ? [...blocks] : blocks.slice(0, end);
}
