import { newBoundary } from '../fence.ts';
import type { AlignedAnswer, AlignRequest } from '../grader.ts';
import type { ModelCall } from '../modelCall.ts';
import { settleAlignment } from './parse.ts';
import { system, userParts, version } from './prompt.ts';
import { alignmentSchema } from './schema.ts';
import type { AlignmentWire } from './schema.ts';

/** What stands around an answer's blocks, and a block: `{"page": 12, "block": 3}`. */
const ANSWER_TOKENS = 25;
const BLOCK_TOKENS = 20;

/** Each block is claimed once as a rule, a list of short answers by each of its questions. */
function outputTokensOf({ questions, pages }: AlignRequest): number {
  const blocks = pages.reduce((sum, page) => sum + page.blocks.length, 0);
  return 400 + questions.length * (ANSWER_TOKENS + BLOCK_TOKENS) + 2 * blocks * BLOCK_TOKENS;
}

/** Asks a model which blocks answer which question. */
export function alignAnswersCall(request: AlignRequest): ModelCall<AlignmentWire, AlignedAnswer[]> {
  const boundary = newBoundary();
  return {
    name: 'align_answers',
    version,
    system,
    user: userParts(request, boundary),
    boundary,
    schema: alignmentSchema,
    outputTokens: outputTokensOf(request),
    settle: (wire) => settleAlignment(request, wire),
  };
}
