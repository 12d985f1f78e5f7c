import { clampBox } from '../box.ts';
import type { Answered, Box, PageImage, PageReading, ReadPagesRequest, SeenPage, Turn } from '../grader.ts';
import { GraderFailure } from '../grader.ts';
import { boxBeforeTurn } from '../turn.ts';
import { addUsage, failedAfter, spentOn } from '../usage.ts';
import type { TurnedReading } from './parse.ts';
import type { ShownPage } from './prompt.ts';
import { readInParts, type Ask } from './readInParts.ts';
import { PAGE_NOT_READ, unreadPage } from './readPages.ts';

/**
 * Reads written pages. Pages that a model reports as sideways or upside down are turned and read again, because /Rotate
 * does not cover paper that was scanned the wrong way round. Neighbouring pages are turned in one call, and a turned
 * page is not turned again: four pages take at most three calls if each reply is usable. The first reading is kept,
 * with `page_not_upright`, if the second is less legible or has lost words. A page without a usable reply comes back as
 * unreadable. Boxes are those of the original images.
 * @throws GraderFailure, malformed if no page could be read
 */
export const readUpright = async (
  ask: Ask,
  { pages, context }: ReadPagesRequest,
): Promise<Answered<SeenPage[]>> => {
  const shown = pages.map(asScanned);
  const first = await readInParts(ask, shown, context === null ? null : asScanned(context));
  const answers = [...first.answers];
  const spent = [...first.spent];
  if (answers.length === 0) throw new GraderFailure('malformed', 'no page could be read', undefined, spent);
  const readings = new Map(first.readings.map((read) => [read.reading.page, read]));
  const problems = new Set(first.readings.length < pages.length ? [PAGE_NOT_READ] : []);
  for (const group of groupsOfTurned(shown, readings)) {
    const before = pages[pages.findIndex(({ page }) => page === group[0]?.image.page) - 1] ?? context;
    const again = await readInParts(ask, group, before === null ? null : asScanned(before)).catch(
      (error: unknown) => {
        throw error instanceof GraderFailure ? failedAfter(error, [...spent, ...spentOn(answers)]) : error;
      },
    );
    answers.push(...again.answers);
    spent.push(...again.spent);
    for (const { image, turn } of group) {
      const second = again.readings.find(({ reading }) => reading.page === image.page);
      const was = readings.get(image.page);
      const isUsed = second !== undefined && was !== undefined && readsNoWorse(second.reading, was.reading);
      if (!isUsed || second.turn !== 0) problems.add('page_not_upright');
      if (isUsed) readings.set(image.page, { reading: onImage(second.reading, turn), turn: 0 });
    }
  }
  for (const answer of answers) for (const problem of answer.problems ?? []) problems.add(problem);
  return {
    value: pages.map(({ page }) => readings.get(page)?.reading ?? unreadPage(page)),
    usage: [...answers, ...spent].map(({ usage }) => usage).reduce(addUsage),
    evidence: answers.flatMap(({ evidence }) => evidence),
    ...(problems.size === 0 ? {} : { problems: [...problems] }),
  };
};

/** Share of the legible words of one reading that the other must have. */
const MOST_WORDS = 0.8;

/** Whether the reading of a turned page may replace the first one: the model may have been wrong about the turn. */
const readsNoWorse = (second: PageReading, first: PageReading): boolean =>
  lettersOf(first) === 0 ||
  (second.legibility >= first.legibility && legible(second) >= MOST_WORDS * legible(first));

const legible = (reading: PageReading): number => lettersOf(reading) * reading.legibility;

const lettersOf = ({ blocks }: PageReading): number =>
  blocks.reduce((sum, { label, text }) => sum + (label ?? '').length + text.length, 0);

const asScanned = (image: PageImage): ShownPage => ({ image, turn: 0 });

/** The pages to turn, grouped into runs of neighbours. */
const groupsOfTurned = (
  shown: readonly ShownPage[],
  readings: ReadonlyMap<number, TurnedReading>,
): ShownPage[][] => {
  const groups: ShownPage[][] = [];
  let last: ShownPage[] | null = null;
  for (const { image } of shown) {
    const turn = readings.get(image.page)?.turn ?? 0;
    if (turn === 0) {
      last = null;
    } else if (last === null) {
      last = [{ image, turn }];
      groups.push(last);
    } else {
      last.push({ image, turn });
    }
  }
  return groups;
};

const onImage = (reading: SeenPage, turn: Turn): SeenPage => {
  const place = (box: Box): Box => clampBox(boxBeforeTurn(box, turn));
  return {
    ...reading,
    turn,
    blocks: reading.blocks.map((block) => ({ ...block, box: place(block.box) })),
    printed: reading.printed.map(place),
  };
};
