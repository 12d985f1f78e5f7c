import type { MadeRubric, MakeRubricRequest } from '../grader.ts';
import type { ModelCall } from '../modelCall.ts';
import { settleRubric } from './parse.ts';
import { system, userParts, VERSION } from './prompt.ts';
import { rubricSchema } from './schema.ts';
import type { RubricWire } from './schema.ts';

/** Tokens of two to six criteria; a long criterion takes 300. */
const RUBRIC_TOKENS = 2000;

/** Asks a model for a rubric (docs/api/rubrics.md#rules). The prompt contains no text of a candidate. */
export const makeRubricCall = (request: MakeRubricRequest): ModelCall<RubricWire, MadeRubric> => ({
  name: 'make_rubric',
  version: VERSION,
  system,
  user: userParts(request),
  boundary: null,
  schema: rubricSchema,
  outputTokens: RUBRIC_TOKENS,
  settle: (wire) => settleRubric(request, wire),
});
