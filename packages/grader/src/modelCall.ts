import type { z } from 'zod/v4';
import type { CallEvidence } from './grader.ts';
import type { Turn } from './turn.ts';

/** An image goes with the number of the page in the copy that it shows, and is turned before it is sent. */
export type PromptPart = { text: string } | { jpegFile: string; page: number; turn: Turn };

/**
 * One question to a model, whole: prompt, schema of the answer, and the reading of it. Each call's folder makes one
 * from a request; a provider only has to carry it. `version` names prompt and schema together and changes with either.
 */
export interface ModelCall<Wire, Value> {
  name: 'read_pages' | 'align_answers' | 'judge_answer' | 'make_rubric';
  version: string;
  system: string;
  user: PromptPart[];
  /** What fences the untrusted parts of `user`, drawn anew for each call; null when there are none in its texts. */
  boundary: string | null;
  schema: z.ZodType<Wire>;
  /** What an honest reply takes at most, in tokens, without a model's reasoning (openai/outputLimit.ts). */
  outputTokens: number;
  /** Of a reply that is cut off, or of none in time: it is not asked for afresh, but in parts. */
  whenCutOff?: 'give up';
  /** What `settle` goes by beside request and reply; evidence keeps it. */
  settings?: CallEvidence['settings'];
  /**
   * What of the tokens of a usable reply `settle` goes by; evidence keeps it with the settings. Where it is given, and the
   * endpoint knows them, log-probabilities are asked for.
   */
  weigh?: (reply: string, tokens: readonly SaidToken[]) => CallEvidence['settings'];
  /**
   * Turns checked output into a value that stands. Throws MalformedOutput where the model should try again.
   * @param settings of the call, and what was weighed: as evidence keeps them
   */
  settle(wire: Wire, settings: CallEvidence['settings']): { value: Value; problems: string[] };
}

/** A token of a reply. Probabilities are from 0 to 1. */
export interface SaidToken {
  bytes: Buffer;
  probability: number;
  /** What might have stood in its place, as far as the endpoint says. */
  others: { text: string; probability: number }[];
}
