import { runLanes, type RunLane } from '@evaluation/jobs-contract';
import type { PreflightRequest } from '../preflightReport.ts';

/**
 * Length of the preflight's text, by what a lane grades. Answers: a question with rubric and a long answer, about 5,500
 * tokens, which do not fit a context of 4,096 (Ollama's default). Pages: blocks of a copy of ten pages to be aligned,
 * or four page images, about 9,500 tokens.
 */
const PREFLIGHT_BY_MATERIAL = {
  answers: { vision: false, contextCharacters: 24_000 },
  pages: { vision: true, contextCharacters: 42_000 },
} as const satisfies Record<string, PreflightRequest>;

export const lanePreflight = (lane: RunLane): PreflightRequest =>
  PREFLIGHT_BY_MATERIAL[runLanes[lane].grades];
