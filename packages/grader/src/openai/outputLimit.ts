/**
 * How many tokens a reply may take: what its kind of call needs, so that a model that does not stop ends in seconds and
 * not at the time limit. A model that reasons counts its reasoning in; it gets room for that as soon as it is known to.
 *
 * State: whether the model reasons, learnt from its replies or told by the settings. It dies with the process; the next
 * one learns it from one reply that is cut off.
 */
import { z } from 'zod/v4';

/** Under which name the limit is sent. `none` sends no limit: only the time limit of a call ends a reply then. */
export type OutputLimitName = 'max_completion_tokens' | 'max_tokens' | 'none';

export interface OutputLimit {
  /** The part of a request that limits its reply to `tokens`, and to what reasoning takes beside them. */
  askedFor(tokens: number): { max_completion_tokens?: number; max_tokens?: number };
  /** Looks in a reply, of any shape, for a sign that the model reasons. */
  learnFrom(reply: unknown): void;
}

export interface OutputLimitOptions {
  name: OutputLimitName;
  /** No limit is higher, reasoning included: servers refuse one that is higher than the model's own, or than its context. */
  mostTokens?: number;
  reasons: boolean;
}

/** Four full pages take no more, and models of the last years take this as a limit. */
const MOST_TOKENS = 16_000;
/** Most take a few thousand for a question of an examination. Models that reason take such a limit beside the other. */
const REASONING_TOKENS = 16_000;

const text = z.string().min(1);
const reasoningReply = z.union([
  z.object({
    usage: z.object({ completion_tokens_details: z.object({ reasoning_tokens: z.int().positive() }) }),
  }),
  z.object({
    choices: z
      .tuple([
        z.object({
          message: z.union([
            z.object({ reasoning_content: text }),
            z.object({ reasoning: text }),
            z.object({ content: z.string().regex(/<\/?think>/) }),
          ]),
        }),
      ])
      .rest(z.unknown()),
  }),
  // Cut off before the first word of its answer: the tokens went to what the server does not show.
  z.object({
    choices: z
      .tuple([
        z.object({
          finish_reason: z.literal('length'),
          message: z.object({ content: z.literal('').nullish() }),
        }),
      ])
      .rest(z.unknown()),
  }),
]);

export function createOutputLimit({ name, mostTokens, reasons }: OutputLimitOptions): OutputLimit {
  let isReasoning = reasons;
  return {
    askedFor(tokens) {
      if (name === 'none') return {};
      const limit = Math.min(tokens, MOST_TOKENS) + (isReasoning ? REASONING_TOKENS : 0);
      return { [name]: Math.min(limit, mostTokens ?? Infinity) };
    },
    learnFrom(reply) {
      isReasoning ||= reasoningReply.safeParse(reply).success;
    },
  };
}
