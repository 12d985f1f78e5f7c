import type { AlignedAnswer } from '../index.ts';
import { isBlankText, RECORD_BOUNDS } from '@evaluation/rules';
import { beyondLabel, holdsLabel } from './beyondLabel.ts';
import { withoutPrint } from './withoutPrint.ts';
import type { GivenAnswer, MarkedQuestion, PageReading, RecordedPage } from '@evaluation/rules/grading-model';

/**
 * Three times the longest typed answer. Limits the prompts of a copy whose alignment gives every block to every
 * question.
 */
const LONGEST_ANSWER = RECORD_BOUNDS.extractedAnswer;

/** Problems of a model's output (`Answered.problems`). The first result of a call carries those of the whole call. */
interface Corrected {
  problems?: string[] | undefined;
}
export type ReadPage = RecordedPage & Corrected;
export type FoundAnswer = AlignedAnswer & Corrected;

export interface ReadCopy {
  pages: readonly ReadPage[];
  alignment: readonly FoundAnswer[];
}

const CHOICES: ReadonlySet<string> = new Set(['mcq_single', 'mcq_multi', 'true_false']);

/**
 * Joins the blocks of one question in reading order, up to `LONGEST_ANSWER`. "3 (b)" can be a label and an answer in
 * one: if a reader took all of it for the label, the choice is the part beyond the question's own label. The printed
 * question is left out (`withoutPrint`); if nothing else was read, or if the question's label begins a line of another
 * answer, or if labels alone decided, it is unclear whether there is an answer.
 * @param number of the question on the paper, from 1
 */
export const answerTo = (
  number: number,
  { pages, alignment }: Pick<ReadCopy, 'alignment'> & { pages: readonly PageReading[] },
  { type, label: own, text: asked, options }: Pick<MarkedQuestion, 'type' | 'label' | 'text' | 'options'>,
): GivenAnswer => {
  const byPage = new Map(pages.map((page) => [page.page, page]));
  const { blocks: found = [], isDoubtful = false } =
    alignment.find((answer) => answer.number === number) ?? {};
  const blocks = found.flatMap(({ page, block }) => {
    const reading = byPage.get(page);
    const read = reading?.blocks[block];
    if (reading === undefined || read === undefined || read.crossedOut) return [];
    const label = read.label ?? '';
    const text = isBlankText(read.text) && CHOICES.has(type) ? beyondLabel(label, own) : read.text;
    return [{ page, box: read.box, text, label, legibility: reading.legibility }];
  });
  const written = ownBlocks(blocks, asked, options);
  const kept = asFarAs(LONGEST_ANSWER, written);
  const text = kept.map((block) => block.text).join('\n');
  const isUnclear =
    isBlankText(text) &&
    (isDoubtful ||
      blocks.some((block) => !isBlankText(block.text) || !isBlankText(block.label)) ||
      pages.some((page) => page.blocks.some((block) => !block.crossedOut && holdsLabel(block.text, own))));
  return {
    text,
    legibility: kept.length === 0 ? null : Math.min(...kept.map(({ legibility }) => legibility)),
    blocks: kept.map((block) => ({ page: block.page, box: block.box, text: block.text })),
    ...(kept.length < written.length ? { cut: true } : {}),
    ...(isUnclear ? { isUnclear } : {}),
  };
};

/** Blocks without the paper's own words; a block of nothing else goes. */
const ownBlocks = <B extends { text: string }>(
  blocks: readonly B[],
  asked: string,
  options: MarkedQuestion['options'],
): B[] => {
  const texts = withoutPrint(
    blocks.map(({ text }) => text),
    asked,
    options,
  );
  return blocks
    .map((block, at) => ({ ...block, text: texts[at] ?? '' }))
    .filter(({ text }, at) => !isBlankText(text) || isBlankText(blocks[at]?.text ?? ''));
};

/** The first blocks whose texts, with the line breaks between them, fit into `most` characters. */
const asFarAs = <B extends { text: string }>(most: number, blocks: readonly B[]): B[] => {
  let length = 0;
  const end = blocks.findIndex(({ text }) => {
    length += text.length + 1;
    return length > most;
  });
  return end === -1 ? [...blocks] : blocks.slice(0, end);
};
