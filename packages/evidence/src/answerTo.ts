import type { AlignedAnswer } from '@evaluation/grader';
import { isBlankText } from '@evaluation/rules';
import { beyondLabel } from './beyondLabel.ts';
import type { GivenAnswer, MarkedQuestion, PageReading } from '@evaluation/grading-model';

/**
 * The most that one answer may be made of: thrice what may be typed (docs/api/submissions.md#typed-answers), and some 30 full pages by hand. An
 * aligner that gives every block to every question would have each prompt hold the whole copy.
 */
const LONGEST_ANSWER = 60_000;

/**
 * What came of a call, with what was wrong with the model's output and was put right (`Answered.problems`): on the
 * first of them, for all of them.
 */
interface PutRight {
  problems?: string[] | undefined;
}
export type ReadPage = PageReading & PutRight;
export type FoundAnswer = AlignedAnswer & PutRight;

/** A copy once it is read: its pages, and which blocks of them answer which question. */
export interface ReadCopy {
  pages: readonly ReadPage[];
  alignment: readonly FoundAnswer[];
}

const CHOICES: ReadonlySet<string> = new Set(['mcq_single', 'mcq_multi', 'true_false']);

/**
 * The blocks of one question of a copy, joined in reading order, as far as they may go. "3 (b)" is label and answer in one:
 * where a reader took it all for the label, the choice is found in what it says beyond the question's own.
 * @param number of the question on the paper, from 1
 */
export const answerTo = (
  number: number,
  { pages, alignment }: ReadCopy,
  { type, label: own }: Pick<MarkedQuestion, 'type' | 'label'>,
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
  const kept = asFarAs(LONGEST_ANSWER, blocks);
  const text = kept.map((block) => block.text).join('\n');
  const isLabelAlone = isBlankText(text) && blocks.some(({ label }) => !isBlankText(label));
  return {
    text,
    legibility: kept.length === 0 ? null : Math.min(...kept.map(({ legibility }) => legibility)),
    blocks: kept.map((block) => ({ page: block.page, box: block.box, text: block.text })),
    ...(kept.length < blocks.length ? { cut: true } : {}),
    ...(isLabelAlone ? { isLabelAlone } : {}),
  };
};

/** Whole blocks, up to where they hold more together; line breaks between them count. */
const asFarAs = <B extends { text: string }>(most: number, blocks: readonly B[]): B[] => {
  let length = 0;
  const end = blocks.findIndex(({ text }) => {
    length += text.length + 1;
    return length > most;
  });
  return end === -1 ? [...blocks] : blocks.slice(0, end);
};
