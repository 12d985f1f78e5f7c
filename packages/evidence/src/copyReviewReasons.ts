import { imitatesPrompt, POSSIBLE_INJECTION } from '@evaluation/grader';
import { isBlankText } from '@evaluation/rules';
import type { ReadCopy, ReadPage } from './answerTo.ts';
import { endsInChoice } from './beyondLabel.ts';

/** What is known of a page of a copy before anybody reads it. */
export interface PageFacts {
  page: number;
  /** No ink was found on it. */
  blank: boolean;
  /** The page or its picture is broken. */
  damaged: boolean;
}

const UNASSIGNED_WRITING = 'unassigned_writing';
const UNREADABLE_PAGES = 'unreadable_pages';
/** Something that a model said of the pages was dropped or put right. */
const READING_ADJUSTED = 'reading_adjusted';
/** Something that a model said of which writing answers which question was dropped, or looks odd. */
const ALIGNMENT_ADJUSTED = 'alignment_adjusted';
const HARDLY_LEGIBLE = 0.35;

/**
 * Review reasons of a copy as a whole. Writing inside an answer gives reasons of its question; writing outside of all
 * answers gives reasons here. No model judges that writing, so of injections only imitations of a prompt are flagged; a
 * request for marks that is not struck out is `unassigned_writing` as any other writing.
 */
export const copyReviewReasons = (facts: readonly PageFacts[], copy: ReadCopy): string[] => [
  ...lostWriting(facts, copy),
  ...(copy.pages.some(wasPutRight) ? [READING_ADJUSTED] : []),
  ...(copy.alignment.some(wasPutRight) ? [ALIGNMENT_ADJUSTED] : []),
  ...(strayWriting(copy).some(imitatesPrompt) ? [POSSIBLE_INJECTION] : []),
];

/** What stands in no answer, by page. */
const unassignedIn = ({ pages, alignment }: ReadCopy): ReadPage['blocks'][] => {
  const assigned = new Set(
    alignment.flatMap(({ blocks }) => blocks.map(({ page, block }) => `${page}/${block}`)),
  );
  return pages.map(({ page, blocks }) => blocks.filter((_, index) => !assigned.has(`${page}/${index}`)));
};

/** Some question has no writing at all that was assigned to it. */
const someLackAnswers = ({ pages, alignment }: ReadCopy): boolean => {
  const byPage = new Map(pages.map(({ page, blocks }) => [page, blocks]));
  return alignment.some(({ blocks }) =>
    blocks.every(({ page, block }) => {
      const found = byPage.get(page)?.[block];
      return found === undefined || found.crossedOut || isBlankText(`${found.label ?? ''}${found.text}`);
    }),
  );
};

/** Writing outside of all answers, one text a page, so that a line that was read as several blocks is whole; struck-out work counts. */
const strayWriting = (copy: ReadCopy): string[] =>
  unassignedIn(copy).map((blocks) => blocks.map(({ label, text }) => `${label ?? ''} ${text}`).join('\n'));

/**
 * Why the answer to a question that has none may stand on the copy all the same: there is writing that was assigned to no
 * question, or that could not be read. Reasons of the copy, and of each question without an answer.
 */
export const lostWriting = (facts: readonly PageFacts[], copy: ReadCopy): string[] => {
  const { pages } = copy;
  const lacksAnswer = someLackAnswers(copy);
  const hasUnassigned = unassignedIn(copy).some((blocks) =>
    blocks.some(
      ({ crossedOut, text, label }) =>
        // "3 (b)" may be an answer that was taken for a label, where one is missing.
        !crossedOut && (!isBlankText(text) || (lacksAnswer && endsInChoice(label ?? ''))),
    ),
  );
  const written = pages.filter(({ blocks }) => blocks.length > 0).map(({ page }) => page);
  const isUnreadable = ({ page, damaged, blank }: PageFacts): boolean => {
    if (damaged || blank) return damaged;
    const reading = pages.find((candidate) => candidate.page === page);
    if (reading === undefined || reading.legibility < HARDLY_LEGIBLE) return true;
    // The cover of a booklet, and its unused pages at the end, have print on them and nothing to read. A reader that passed
    // over a page says the same of it; then an answer is missing, and there is writing before and after it.
    const isAmongWritten = written.some((other) => other < page) && written.some((other) => other > page);
    return reading.blocks.length === 0 && lacksAnswer && isAmongWritten;
  };
  return [
    ...(hasUnassigned ? [UNASSIGNED_WRITING] : []),
    ...(facts.some(isUnreadable) ? [UNREADABLE_PAGES] : []),
  ];
};

const wasPutRight = ({ problems = [] }: { problems?: string[] | undefined }): boolean => problems.length > 0;
