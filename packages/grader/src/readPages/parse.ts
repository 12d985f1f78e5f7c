import { clampBox } from '../box.ts';
import type { PageReading } from '../grader.ts';
import { plainText } from '../plainText.ts';
import { MalformedOutput } from '../strictSchema.ts';
import type { PagesWire } from './schema.ts';

/**
 * The readings of the pages asked for, in the order asked. A page left out or given twice is malformed; one never
 * asked for is dropped with a problem. Blocks without text and without a label are nothing and are dropped.
 */
export function settlePages(
  asked: readonly number[],
  wire: PagesWire,
): { value: PageReading[]; problems: string[] } {
  const problems: string[] = [];
  const byPage = new Map<number, PagesWire['pages'][number]>();
  for (const page of wire.pages) {
    if (!asked.includes(page.page)) problems.push('unknown_page');
    else if (byPage.has(page.page)) {
      throw new MalformedOutput(`Page ${page.page} is given twice.`, JSON.stringify(wire));
    } else byPage.set(page.page, page);
  }
  const value = asked.map((number): PageReading => {
    const page = byPage.get(number);
    if (page === undefined) throw new MalformedOutput(`Page ${number} is missing.`, JSON.stringify(wire));
    const blocks = page.blocks.map((block) => ({
      label: block.label === null ? null : plainText(block.label, 80) || null,
      continues: block.continues,
      text: plainText(block.text, 20_000),
      crossedOut: block.crossed_out,
      box: clampBox(block.box),
    }));
    return {
      page: number,
      legibility: Math.min(Math.max(page.legibility, 0), 1),
      language: page.language,
      blocks: blocks.filter(({ text, label }) => text !== '' || label !== null),
    };
  });
  return { value, problems: [...new Set(problems)] };
}
