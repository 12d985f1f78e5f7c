import { runLanes, type RunLane } from '@evaluation/jobs-contract';
import type { PreflightRequest } from '../preflightReport.ts';

/**
 * What a lane grades decides how long a text has to come back whole. Answers: a question with its rubric and a long answer,
 * about 5,500 tokens, which a context of 4,096 (Ollama's default) does not hold. Pages: the blocks of a copy of ten pages to be
 * put in order, or four pages as images, about 9,500 tokens.
 */
const PREFLIGHT_BY_MATERIAL = {
  answers: { vision: false, contextCharacters: 24_000 },
  pages: { vision: true, contextCharacters: 42_000 },
} as const satisfies Record<string, PreflightRequest>;

/** What the model of a lane has to show before the lane takes runs. */
export function lanePreflight(lane: RunLane): PreflightRequest {
  return PREFLIGHT_BY_MATERIAL[runLanes[lane].grades];
}
