import type { AlignedAnswer, AlignRequest, ReadBlock } from '../grader.ts';
import { coreAndParents, labelCore, labelKind } from './labels.ts';

/**
 * Assigns blocks by their labels alone; questions may be answered in any order. A block without a label of a question
 * continues the previous answer, over page breaks too; a section heading ends the answer. Inside a long answer that
 * began with "Q" or "Ans", a bare number is a point of a list and starts no question.
 */
export const alignByLabels = (request: AlignRequest): AlignedAnswer[] => {
  const byCore = new Map(request.questions.map((question) => [labelCore(question.label), question]));
  const divided = new Set([...byCore.keys()].flatMap(coreAndParents));
  const claims = new Map<number, AlignedAnswer['blocks']>();
  let current: Question | null = null;
  /** Core of the label that a part such as "(a)" belongs to. */
  let context = '';
  let listsInside = false;
  /**
   * The first part of a parent that stands alone before it, which gives the parent's text back to a part that follows.
   */
  let opened: Question | null = null;
  for (const page of request.pages) {
    for (const [index, block] of page.blocks.entries()) {
      if (block.crossedOut) continue;
      const kind = block.label === null ? 'contd' : labelKind(block.label);
      if (kind === 'section') {
        current = null;
        context = '';
        listsInside = false;
        continue;
      }
      const found: Found =
        kind === 'contd' || (kind === 'bare' && listsInside) ? null : find(block, kind, context, byCore);
      if (found !== null) {
        if (kind === 'part' && found.question === opened) claims.delete(found.question.number);
        opened = null;
        current = found.question;
        context = found.core;
        if (kind !== 'part') listsInside = kind === 'strong' && found.question.type === 'long_answer';
      } else if (kind === 'strong' || (kind === 'bare' && !listsInside)) {
        const core = labelCore(block.label ?? '');
        const isDivided = divided.has(core);
        if (isDivided) context = core;
        // The label is a heading of a divided question, or is not on the paper. Text beside a heading may be the answer
        // to its first part, whose label is missing.
        opened = isDivided && kind === 'strong' ? firstPart(core, byCore) : null;
        if (isDivided || kind === 'strong') current = opened;
      }
      if (current !== null) {
        const place = { page: page.page, block: index };
        const before = claims.get(current.number);
        if (before === undefined) claims.set(current.number, [place]);
        else before.push(place);
      }
    }
  }
  return request.questions.map(({ number }) => {
    const blocks = claims.get(number);
    return blocks === undefined ? { number, blocks: [], isDoubtful: true } : { number, blocks };
  });
};

const firstPart = (core: string, byCore: ReadonlyMap<string, Question>): Question | null =>
  byCore.get(`${core}a`) ?? byCore.get(`${core}i`) ?? null;

type Question = AlignRequest['questions'][number];
type Found = { question: Question; core: string } | null;

const find = (
  block: ReadBlock,
  kind: 'strong' | 'bare' | 'part',
  context: string,
  byCore: ReadonlyMap<string, Question>,
): Found => {
  const core = labelCore(block.label ?? '');
  // "(a)" under "2" or "2(b)" is 2a, and "(ii)" under "2(a)" is 2aii: try the part with each enclosing label.
  const cores =
    kind === 'part'
      ? [...coreAndParents(context).map((parent) => parent + core), core]
      : coreAndParents(core);
  for (const candidate of cores) {
    const question = byCore.get(candidate);
    if (question !== undefined) return { question, core: kind === 'part' ? candidate : core };
  }
  // "2 (a)" alone on its line looks like a choice; it is the label of 2a if the paper has no question 2.
  const part = /^\(?([a-h])\)?(?![\p{L}\p{N}])/iu.exec(block.text)?.[1]?.toLowerCase();
  const question = part === undefined || kind === 'part' ? undefined : byCore.get(core + part);
  return question === undefined ? null : { question, core: core + (part ?? '') };
};
