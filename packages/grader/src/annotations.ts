import { markNote } from '@evaluation/rules';
import { clampBox } from './box.ts';
import { locateInBlocks } from './quotes.ts';
import type { Annotation, Box, JudgedCriterion, JudgeRequest } from './grader.ts';
import { plainText } from './plainText.ts';

const COMMENT_LENGTH = 120;

/**
 * Annotations of one question on a checked copy (docs/architecture.md#checked-copy): the mark at the answer's first
 * block, and for each criterion a tick (full marks), a cross (none) or a comment (some) beside its evidence, or beside
 * the first block if it has none. The box of a tick or cross is as high as a line of writing, so that several beside
 * one block do not overlap. [] if the answer is on no page.
 */
export const annotate = (
  label: string,
  awarded: number,
  max: number,
  criteria: readonly JudgedCriterion[],
  blocks: JudgeRequest['answer']['blocks'],
): Annotation[] => {
  const first = blocks[0];
  if (first === undefined) return [];
  const annotations: Annotation[] = [
    { page: first.page, kind: 'mark', box: clampBox(first.box), text: markNote(label, awarded, max) },
  ];
  for (const [index, criterion] of criteria.entries()) {
    const found = criterion.evidence === null ? null : locateInBlocks(criterion.evidence, blocks);
    const block = blocks[found?.block ?? 0] ?? first;
    const offset = found?.offset ?? index / criteria.length;
    annotations.push({ page: block.page, box: strip(block, offset), ...remark(criterion) });
  }
  return annotations;
};

const remark = ({ name, awarded, max, reason }: JudgedCriterion): Pick<Annotation, 'kind' | 'text'> => {
  if (awarded === max) return { kind: 'tick', text: plainText(name, COMMENT_LENGTH) };
  const text = plainText(`${awarded}/${max} ${name}: ${reason}`.replace(/\s+/g, ' '), COMMENT_LENGTH);
  return { kind: awarded === 0 ? 'cross' : 'comment', text };
};

const strip = ({ box, text }: { box: Box; text: string }, offset: number): Box => {
  const lines = Math.max(text.split('\n').length, 1);
  const height = box.height / lines;
  const y = box.y + Math.min(box.height * offset, box.height - height);
  return clampBox({ x: box.x, y, width: box.width, height });
};
