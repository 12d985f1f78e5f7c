import type * as z from 'zod/v4';
import type { CallEvidence, Turn } from './grader.ts';

/**
 * `hashedText` replaces `text` in the hash of the prompt. It contains hashes of texts that evidence must not keep, so
 * that a replay can compute the hash of the prompt without those texts.
 *
 * An image has the number of its page in the copy, and is turned by `turn` before it is sent.
 */
export type PromptPart =
  | { text: string; hashedText?: string }
  | { jpegFile: string; page: number; turn: Turn };

/**
 * One call of a model: prompt, schema of the reply, and its interpretation. The folder of each call builds it from a
 * request; a provider sends it. `version` identifies prompt and schema and changes with either.
 */
export interface ModelCall<Wire, Value> {
  name: 'read_pages' | 'align_answers' | 'judge_answer' | 'make_rubric';
  version: string;
  system: string;
  user: PromptPart[];
  /** The boundary of fences in `user`, random for each call; null if `user` has no fences. */
  boundary: string | null;
  schema: z.ZodType<Wire>;
  /** Most tokens of an honest reply, without reasoning (openai/outputLimit.ts). */
  outputTokens: number;
  /** After a reply that is cut off or late, the call fails and is split into parts instead of being repeated. */
  whenCutOff?: 'give up';
  /** Inputs of `settle` other than request and reply; evidence keeps them. */
  settings?: CallEvidence['settings'];
  /** Turns parsed output into a value. Throws MalformedOutput if the model should try again. */
  settle(wire: Wire): { value: Value; problems: string[] };
}
