import type { Answered, ReadPagesRequest } from '@evaluation/grader';
import type { PageImage } from '@evaluation/pdf';
import { HARDLY_LEGIBLE, type Box, type SeenPage } from '@evaluation/rules/grading-model';
import type { Batch } from './batches.ts';

type Seen = Pick<Answered<SeenPage[]>, 'value' | 'evidence' | 'problems'>;

/**
 * Reads pages, and the parts of a long page as pages of their own, at most `most` at once. The reader numbers them in
 * the order in which it sees them. Boxes come back in fractions of the whole page.
 * @throws what `read` throws
 */
export const readInParts = async (
  { pages, context }: Batch<PageImage>,
  most: number,
  read: (request: ReadPagesRequest) => Promise<Seen>,
): Promise<Seen> => {
  if ([...pages, ...(context === null ? [] : [context])].every(({ parts }) => parts.length === 0))
    return read({ pages: [...pages], context });
  const sheets = pages.flatMap((page) => sheetsOf(page));
  const units = sheets.map(({ image }, index) => ({ ...image, page: index + 1 }));
  const before = context === null ? null : (sheetsOf(context).at(-1)?.image ?? null);
  const seen: Seen = { value: [], evidence: [] };
  const problems = new Set<string>();
  for (let from = 0; from < units.length; from += most) {
    const shown = units[from - 1] ?? (before === null ? null : { ...before, page: 0 });
    const part = await read({ pages: units.slice(from, from + most), context: shown });
    seen.value.push(...part.value);
    seen.evidence.push(...part.evidence);
    for (const problem of part.problems ?? []) problems.add(problem);
  }
  const value = pages.map(({ page }) =>
    joined(
      page,
      sheets.flatMap(({ image, place }, index) => {
        const reading = seen.value[index];
        return image.page !== page || reading === undefined ? [] : [placed(reading, place)];
      }),
    ),
  );
  return { value, evidence: seen.evidence, ...(problems.size === 0 ? {} : { problems: [...problems] }) };
};

interface Sheet {
  image: PageImage;
  /** Maps a box of the part to the page. */
  place: (box: Box) => Box;
}

const sheetsOf = (page: PageImage): Sheet[] =>
  page.parts.length === 0
    ? [{ image: page, place: (box) => box }]
    : page.parts.map(({ file, top, height }) => ({
        image: { ...page, file, height },
        place: (box) => ({
          ...box,
          y: (top + box.y * height) / page.height,
          height: (box.height * height) / page.height,
        }),
      }));

const placed = (reading: SeenPage, place: Sheet['place']): SeenPage => ({
  ...reading,
  blocks: reading.blocks.map((block) => ({ ...block, box: place(block.box) })),
  printed: reading.printed.map(place),
});

/** One reading of a page from those of its parts; the parts count by their letters. */
const joined = (page: number, parts: readonly SeenPage[]): SeenPage => {
  const letters = ({ blocks }: SeenPage) =>
    blocks.reduce((sum, { label, text }) => sum + (label ?? '').length + text.length, 0);
  const all = parts.reduce((sum, part) => sum + letters(part), 0);
  const share = (measure: (part: SeenPage) => number) =>
    parts.reduce((sum, part) => sum + measure(part) * letters(part), 0) / all;
  // A part that could not be read is not outweighed by the others.
  const worst = Math.min(1, ...parts.map(({ legibility }) => legibility));
  const isMixed = all > 0 && worst >= HARDLY_LEGIBLE;
  const respelled = parts.flatMap((part) => part.respelled ?? []);
  return {
    page,
    legibility: isMixed ? Math.round(share(({ legibility }) => legibility) * 100) / 100 : worst,
    // The parts may have been read in different directions, so a long page stays as it was scanned.
    turn: 0,
    language: all > 0 && share(({ language }) => (language === 'other' ? 1 : 0)) > 0.5 ? 'other' : 'en',
    blocks: parts.flatMap(({ blocks }) => blocks),
    printed: parts.flatMap(({ printed }) => printed),
    ...(respelled.length === 0 ? {} : { respelled }),
  };
};
