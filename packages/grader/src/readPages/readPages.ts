import type { SeenPage } from '../grader.ts';
import type { ModelCall } from '../modelCall.ts';
import { settlePages, type TurnedReading } from './parse.ts';
import { system, userParts, VERSION, type ShownPage } from './prompt.ts';
import { pagesSchema } from './schema.ts';
import type { PagesWire } from './schema.ts';

/** A full page takes 1000 tokens, a column of forty short answers with their places 2800. */
const PAGE_TOKENS = 3000;

/** Asks a model to transcribe pages, none of them blank. */
export const readPagesCall = (
  pages: readonly ShownPage[],
  context: ShownPage | null,
): ModelCall<PagesWire, TurnedReading[]> => {
  const asked = pages.map(({ image }) => image.page);
  return {
    name: 'read_pages',
    version: VERSION,
    system,
    user: userParts(pages, context),
    boundary: null,
    // Several pages are split after a cut (readInParts.ts); one page cannot be split.
    ...(pages.length > 1 ? { whenCutOff: 'give up' as const } : {}),
    schema: pagesSchema,
    outputTokens: PAGE_TOKENS * pages.length,
    settle: (wire) => settlePages(asked, context?.image.page ?? null, wire),
  };
};

/** Problem of a reading with pages for which no reply was usable. */
export const PAGE_NOT_READ = 'page_not_read';

/** The reading of a page that could not be read; a person has to look. */
export const unreadPage = (page: number): SeenPage => ({ ...blankReading(page), legibility: 0 });

export const blankReading = (page: number): SeenPage => ({
  page,
  legibility: 1,
  language: 'en',
  turn: 0,
  blocks: [],
  printed: [],
});
