import type { AlignedAnswer, AlignRequest } from '../grader.ts';
import type { AlignmentWire } from './schema.ts';

/** Characters of a block that any number of questions may claim; a longer one goes to `MOST_QUESTIONS` at most. */
const SHORT_BLOCK = 1000;
const MOST_QUESTIONS = 8;

/**
 * Returns each question once, in the requested order, with its blocks in reading order. Drops unknown questions and
 * blocks, crossed-out blocks and repetitions; each kind but the last is a problem. A block that two questions claim
 * goes to both, because short answers may share one, and is a problem. A long block goes to its first claims only.
 */
export const settleAlignment = (
  request: AlignRequest,
  wire: AlignmentWire,
): { value: AlignedAnswer[]; problems: string[] } => {
  const problems = new Set<string>();
  const assignable = new Map<string, number>();
  const crossedOut = new Set<string>();
  for (const page of request.pages) {
    for (const [block, { crossedOut: struck, text }] of page.blocks.entries()) {
      const id = `${page.page}/${block}`;
      if (struck) crossedOut.add(id);
      else assignable.set(id, text.length <= SHORT_BLOCK ? Infinity : MOST_QUESTIONS);
    }
  }
  const claims = new Map(request.questions.map(({ number }) => [number, new Map<string, BlockRef>()]));
  const claimed = new Map<string, number>();
  for (const answer of wire.answers) {
    const places = claims.get(answer.number);
    if (places === undefined) {
      problems.add('unknown_question');
      continue;
    }
    for (const place of answer.blocks) {
      const id = `${place.page}/${place.block}`;
      if (places.has(id)) continue;
      const most = assignable.get(id);
      const times = claimed.get(id) ?? 0;
      if (crossedOut.has(id)) problems.add('crossed_out_block');
      else if (most === undefined) problems.add('unknown_block');
      else if (times >= most) problems.add('block_claimed_by_many');
      else {
        if (times > 0) problems.add('block_claimed_twice');
        claimed.set(id, times + 1);
        places.set(id, place);
      }
    }
  }
  const value = request.questions.map(({ number }) => ({
    number,
    blocks: [...(claims.get(number)?.values() ?? [])].sort((a, b) => a.page - b.page || a.block - b.block),
  }));
  return { value, problems: [...problems] };
};

type BlockRef = AlignedAnswer['blocks'][number];
