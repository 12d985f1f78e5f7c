import type { AlignedAnswer, AlignRequest } from '../grader.ts';
import type { AlignmentWire } from './schema.ts';

/**
 * Every question once, in the order asked, its blocks in reading order. Unknown questions and blocks, crossed-out
 * blocks and repetitions are dropped, each kind told as a problem. A block claimed by two questions is left with both
 * (short answers may share one) and told.
 */
export function settleAlignment(
  request: AlignRequest,
  wire: AlignmentWire,
): { value: AlignedAnswer[]; problems: string[] } {
  const problems = new Set<string>();
  const assignable = new Set<string>();
  const crossedOut = new Set<string>();
  for (const page of request.pages) {
    for (const [block, { crossedOut: struck }] of page.blocks.entries()) {
      (struck ? crossedOut : assignable).add(`${page.page}/${block}`);
    }
  }
  const claims = new Map(request.questions.map(({ number }) => [number, new Map<string, Place>()]));
  const claimed = new Set<string>();
  for (const answer of wire.answers) {
    const places = claims.get(answer.number);
    if (places === undefined) {
      problems.add('unknown_question');
      continue;
    }
    for (const place of answer.blocks) {
      const id = `${place.page}/${place.block}`;
      if (places.has(id)) continue;
      if (crossedOut.has(id)) problems.add('crossed_out_block');
      else if (!assignable.has(id)) problems.add('unknown_block');
      else {
        if (claimed.has(id)) problems.add('block_claimed_twice');
        claimed.add(id);
        places.set(id, place);
      }
    }
  }
  const value = request.questions.map(({ number }) => ({
    number,
    blocks: [...(claims.get(number)?.values() ?? [])].sort((a, b) => a.page - b.page || a.block - b.block),
  }));
  return { value, problems: [...problems] };
}

type Place = AlignedAnswer['blocks'][number];
