import { newBoundary } from '../fence.ts';
import type { AlignedAnswer, AlignRequest } from '../grader.ts';
import type { ModelCall } from '../modelCall.ts';
import { settleAlignment } from './parse.ts';
import { system, userParts, version } from './prompt.ts';
import { alignmentSchema } from './schema.ts';
import type { AlignmentWire } from './schema.ts';

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
    settle: (wire) => settleAlignment(request, wire),
  };
}
