import { newBoundary } from '../fence.ts';
import type { AlignedAnswer, AlignRequest } from '../grader.ts';
import type { ModelCall } from '../modelCall.ts';
import { settleAlignment } from './parse.ts';
import { system, userParts, VERSION } from './prompt.ts';
import { alignmentSchema } from './schema.ts';
import type { AlignmentWire } from './schema.ts';

/** Tokens of one block reference, `{"page": 12, "block": 3}`, or of the fields around the blocks of one answer. */
const ANSWER_TOKENS = 25;
const BLOCK_TOKENS = 20;

/** Usually one question claims each block; several may claim a list of short answers. */
const outputTokensOf = ({ questions, pages }: AlignRequest): number => {
  const blocks = pages.reduce((sum, page) => sum + page.blocks.length, 0);
  return 400 + questions.length * (ANSWER_TOKENS + BLOCK_TOKENS) + 2 * blocks * BLOCK_TOKENS;
};

export const alignAnswersCall = (request: AlignRequest): ModelCall<AlignmentWire, AlignedAnswer[]> => {
  const boundary = newBoundary();
  return {
    name: 'align_answers',
    version: VERSION,
    system,
    user: userParts(request, boundary),
    boundary,
    schema: alignmentSchema,
    outputTokens: outputTokensOf(request),
    settle: (wire) => settleAlignment(request, wire),
  };
};
