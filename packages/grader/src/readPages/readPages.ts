import type { PageReading } from '../grader.ts';
import type { ModelCall } from '../modelCall.ts';
import { settlePages, type TurnedReading } from './parse.ts';
import { system, userParts, version, type ShownPage } from './prompt.ts';
import { pagesSchema } from './schema.ts';
import type { PagesWire } from './schema.ts';

/** A page full of writing takes 1000, a column of forty short answers with their places 2800. */
const PAGE_TOKENS = 3000;

/** Asks a model to transcribe pages; none of them blank (docs/api/conventions.md#languages). */
export function readPagesCall(
  pages: readonly ShownPage[],
  context: ShownPage | null,
): ModelCall<PagesWire, TurnedReading[]> {
  const asked = pages.map(({ image }) => image.page);
  return {
    name: 'read_pages',
    version,
    system,
    user: userParts(pages, context),
    boundary: null,
    // Of several, each is asked for by itself (readInParts.ts); of one there is no smaller part.
    ...(pages.length > 1 ? { whenCutOff: 'give up' as const } : {}),
    schema: pagesSchema,
    outputTokens: PAGE_TOKENS * pages.length,
    settle: (wire) => settlePages(asked, context?.image.page ?? null, wire),
  };
}

/** The problem of a reading in which pages are missing, because no reply to them could be used. */
export const PAGE_NOT_READ = 'page_not_read';

/** A page of which nothing is known: a person has to look at it. */
export function unreadPage(page: number): PageReading {
  return { page, legibility: 0, language: 'en', blocks: [] };
}

/** A page nobody needs to read. */
export function blankReading(page: number): PageReading {
  return { page, legibility: 1, language: 'en', blocks: [] };
}
