import { clampBox, isOnPage } from '../box.ts';
import type { SeenPage, Turn } from '../grader.ts';
import { plainText } from '../plainText.ts';
import { MalformedOutput } from '../strictSchema.ts';
import { boundBlocks } from './bounds.ts';
import type { PagesWire } from './schema.ts';

/** A reading of an image as shown, and the turn that makes this image upright. */
export interface TurnedReading {
  reading: SeenPage;
  turn: Turn;
}

const TURN_TO_TOP = { top: 0, left: 90, bottom: 180, right: 270 } as const satisfies Record<string, Turn>;

/** If this share of a page's blocks lies off the page, the reader may not have seen the page. */
const MANY_OFF_PAGE = 0.5;

/**
 * Returns the readings of the requested pages, in the requested order. A page that is missing or given twice is
 * malformed. An unrequested page is dropped with a problem; the context page is dropped without one, since nothing is
 * lost. Blocks without text and label are dropped. Boxes are moved inside the page, with a problem if many are off it.
 */
export const settlePages = (
  asked: readonly number[],
  context: number | null,
  wire: PagesWire,
): { value: TurnedReading[]; problems: string[] } => {
  const problems = new Set<string>();
  const byPage = new Map<number, PagesWire['pages'][number]>();
  for (const page of wire.pages) {
    if (page.page === context) continue;
    if (!asked.includes(page.page)) problems.add('unknown_page');
    else if (byPage.has(page.page)) {
      throw new MalformedOutput(`Page ${page.page} is given twice.`, JSON.stringify(wire));
    } else byPage.set(page.page, page);
  }
  const value = asked.map((number): TurnedReading => {
    const page = byPage.get(number);
    if (page === undefined) throw new MalformedOutput(`Page ${number} is missing.`, JSON.stringify(wire));
    const offPage = page.blocks.filter(({ box }) => !isOnPage(box)).length;
    if (offPage > 0 && offPage >= page.blocks.length * MANY_OFF_PAGE) problems.add('boxes_off_page');
    const written = page.blocks
      .map((block) => ({
        label: block.label === null ? null : plainText(block.label, 80) || null,
        continues: block.continues,
        text: plainText(block.text, 20_000),
        crossedOut: block.crossed_out,
        box: clampBox(block.box),
      }))
      .filter(({ text, label }) => text !== '' || label !== null);
    const blocks = boundBlocks(written);
    if (blocks.length < written.length) problems.add('page_too_long');
    const legibility = Math.min(Math.max(page.legibility, 0), 1);
    return {
      reading: {
        page: number,
        legibility,
        language: page.language,
        turn: 0,
        blocks,
        printed: page.printed.map(clampBox),
      },
      turn: TURN_TO_TOP[page.top],
    };
  });
  return { value, problems: [...problems] };
};
