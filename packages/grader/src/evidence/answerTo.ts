import type { AlignedAnswer } from '../index.ts';
import { isBlankText, RECORD_BOUNDS } from '@evaluation/rules';
import { beyondLabel } from './beyondLabel.ts';
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
 * question is left out (`withoutPrint`); if nothing else was read, the answer is unclear.
 * @param number of the question on the paper, from 1
 */
export const answerTo = (
  number: number,
  { pages, alignment }: Pick<ReadCopy, 'alignment'> & { pages: readonly PageReading[] },
  { type, label: own, text: asked }: Pick<MarkedQuestion, 'type' | 'label' | 'text'>,
): GivenAnswer => {
  const byPage = new Map(pages.map((page) => [page.page, page]));
  const blocks = (alignment.find((answer) => answer.number === number)?.blocks ?? []).flatMap(
    ({ page, block }) => {
      const reading = byPage.get(page);
      const found = reading?.blocks[block];
      if (reading === undefined || found === undefined || found.crossedOut) return [];
      const label = found.label ?? '';
      const text = isBlankText(found.text) && CHOICES.has(type) ? beyondLabel(label, own) : found.text;
      return [{ page, box: found.box, text, label, legibility: reading.legibility }];
    },
  );
  const written = ownBlocks(blocks, asked);
  const kept = asFarAs(LONGEST_ANSWER, written);
  const text = kept.map((block) => block.text).join('\n');
  const isPrintAlone = isBlankText(text) && blocks.some((block) => !isBlankText(block.text));
  const isLabelAlone = isPrintAlone || (isBlankText(text) && blocks.some(({ label }) => !isBlankText(label)));
  return {
    text,
    legibility: kept.length === 0 ? null : Math.min(...kept.map(({ legibility }) => legibility)),
    blocks: kept.map((block) => ({ page: block.page, box: block.box, text: block.text })),
    ...(kept.length < written.length ? { cut: true } : {}),
    ...(isLabelAlone ? { isLabelAlone } : {}),
  };
};

/** Blocks without the paper's own words; a block of nothing else goes. */
const ownBlocks = <B extends { text: string }>(blocks: readonly B[], asked: string): B[] => {
  const texts = withoutPrint(
    blocks.map(({ text }) => text),
    asked,
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
