import type { PageImage, PageReading } from '../grader.ts';
import type { ModelCall } from '../modelCall.ts';
import { settlePages } from './parse.ts';
import { system, userParts, version } from './prompt.ts';
import { pagesSchema } from './schema.ts';
import type { PagesWire } from './schema.ts';

/** Asks a model to transcribe pages; none of them blank (spec 1.4, 4.7 rule 4). */
export function readPagesCall(pages: readonly PageImage[]): ModelCall<PagesWire, PageReading[]> {
  const asked = pages.map(({ page }) => page);
  return {
    name: 'read_pages',
    version,
    system,
    user: userParts(pages),
    schema: pagesSchema,
    settle: (wire) => settlePages(asked, wire),
  };
}

/** A page nobody needs to read. */
export function blankReading(page: number): PageReading {
  return { page, legibility: 1, language: 'en', blocks: [] };
}
