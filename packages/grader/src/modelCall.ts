import type { z } from 'zod/v4';

export type PromptPart = { text: string } | { jpegFile: string };

/**
 * One question to a model, whole: prompt, schema of the answer, and the reading of it. Each call's folder makes one
 * from a request; a provider only has to carry it. `version` names prompt and schema together and changes with either.
 */
export interface ModelCall<Wire, Value> {
  name: 'read_pages' | 'align_answers' | 'judge_answer';
  version: string;
  system: string;
  user: PromptPart[];
  schema: z.ZodType<Wire>;
  /** Turns checked output into a value that stands. Throws MalformedOutput where the model should try again. */
  settle(wire: Wire): { value: Value; problems: string[] };
}
