import { imitatesPrompt, POSSIBLE_INJECTION } from '../index.ts';
import type { PageState } from '../grader.ts';
import { HARDLY_LEGIBLE } from '@evaluation/rules/grading-model';
import { isBlankText } from '@evaluation/rules';
import type { ReadCopy, ReadPage } from './answerTo.ts';
import { endsInChoice } from './beyondLabel.ts';

/** Facts about a page of a copy that are known before it is read. */
export interface PageFacts {
  page: number;
  state: PageState;
}

const UNASSIGNED_WRITING = 'unassigned_writing';
const UNREADABLE_PAGES = 'unreadable_pages';
/** Part of a model's page reading was dropped or corrected. */
const READING_ADJUSTED = 'reading_adjusted';
/** Part of a model's alignment was dropped or looks implausible. */
const ALIGNMENT_ADJUSTED = 'alignment_adjusted';

/**
 * Review reasons of a copy as a whole. Writing inside an answer gives reasons of its question; writing outside all
 * answers gives reasons here. No model judges the writing outside answers: only imitations of a prompt are flagged as
 * injections. A request for marks that is not struck out is `unassigned_writing`, like other writing.
 */
export const copyReviewReasons = (facts: readonly PageFacts[], copy: ReadCopy): string[] => [
  ...lostWriting(facts, copy),
  ...(copy.pages.some(wasCorrected) ? [READING_ADJUSTED] : []),
  ...(copy.alignment.some(wasCorrected) ? [ALIGNMENT_ADJUSTED] : []),
  ...(strayWriting(copy).some(imitatesPrompt) ? [POSSIBLE_INJECTION] : []),
];

const unassignedIn = ({ pages, alignment }: ReadCopy): ReadPage['blocks'][] => {
  const assigned = new Set(
    alignment.flatMap(({ blocks }) => blocks.map(({ page, block }) => `${page}/${block}`)),
  );
  return pages.map(({ page, blocks }) => blocks.filter((_, index) => !assigned.has(`${page}/${index}`)));
};

const someLackAnswers = ({ pages, alignment }: ReadCopy): boolean => {
  const byPage = new Map(pages.map(({ page, blocks }) => [page, blocks]));
  return alignment.some(({ blocks }) =>
    blocks.every(({ page, block }) => {
      const found = byPage.get(page)?.[block];
      return found === undefined || found.crossedOut || isBlankText(`${found.label ?? ''}${found.text}`);
    }),
  );
};

/**
 * Writing outside all answers, including struck-out work; one text for each page, so that an imitation that spans
 * several blocks is found.
 */
const strayWriting = (copy: ReadCopy): string[] =>
  unassignedIn(copy).map((blocks) => blocks.map(({ label, text }) => `${label ?? ''} ${text}`).join('\n'));

/** Review reasons for writing that belongs to no answer or could not be read. */
const lostWriting = (facts: readonly PageFacts[], copy: ReadCopy): string[] => {
  const { pages } = copy;
  const lacksAnswer = someLackAnswers(copy);
  const hasUnassigned = unassignedIn(copy).some((blocks) =>
    blocks.some(
      ({ crossedOut, text, label }) =>
        // "3 (b)" may be an answer that was taken for a label, if an answer is missing.
        !crossedOut && (!isBlankText(text) || (lacksAnswer && endsInChoice(label ?? ''))),
    ),
  );
  const isUnreadable = ({ page, state }: PageFacts): boolean => {
    if (state === 'not_drawn' || state === 'clean') return state === 'not_drawn';
    const reading = pages.find((candidate) => candidate.page === page);
    if (reading === undefined) return true;
    // Faint traces in which a reader found nothing matter only if they may be the missing answer.
    if (state === 'doubtful' && reading.blocks.length === 0) return lacksAnswer;
    if (reading.legibility < HARDLY_LEGIBLE) return true;
    // A reader that found neither writing nor print on a page with ink may have skipped it.
    return lacksAnswer && reading.blocks.length === 0 && reading.printed.length === 0;
  };
  return [
    ...(hasUnassigned ? [UNASSIGNED_WRITING] : []),
    ...(facts.some(isUnreadable) ? [UNREADABLE_PAGES] : []),
  ];
};

/**
 * Review reasons of a question without an answer or with 0 marks: what was lost, and ink of the copy that its reader
 * left out. A 0 has no reason only if all ink is accounted for: as an answer, struck-out work, a label, or print.
 */
export const reasonsOfZero = (facts: readonly PageFacts[], copy: ReadCopy): string[] => {
  const leftOut = copy.pages.some(({ unread }) => unread.length > 0) ? [UNREADABLE_PAGES] : [];
  return [...new Set([...lostWriting(facts, copy), ...leftOut])];
};

const wasCorrected = ({ problems = [] }: { problems?: string[] | undefined }): boolean => problems.length > 0;
