import type { PreflightRequest } from '../preflightReport.ts';

/**
 * What a lane sends decides how long a text has to come back whole. Typed: a question with its rubric and a long answer,
 * about 5,500 tokens, which a context of 4,096 (Ollama's default) does not hold. Copy: the blocks of a copy of ten pages to be
 * put in order, or four pages as images, about 9,500 tokens.
 */
export const LANE_PREFLIGHTS = {
  typed: { vision: false, contextCharacters: 24_000 },
  copy: { vision: true, contextCharacters: 42_000 },
} as const satisfies Record<string, PreflightRequest>;
