/**
 * Log-probabilities of the tokens of a reply: whether they are asked for, and what came of them.
 *
 *   off by the settings ──▶ never asked for
 *   asked for ──a request with them is refused, and the same without them is answered──▶ never asked for again
 *
 * Many endpoints refuse them, by model (OpenAI's reasoning models) or altogether, and some leave them out without a word. Both
 * leave a judgement as it would be without them.
 *
 * State: whether they were refused, and whether any came. It dies with the process; the next one finds out by its preflight, or
 * by its first call.
 */
import { APIError } from 'openai';
import { z } from 'zod/v4';
import type { SaidToken } from '../modelCall.ts';
import { CutOff } from '../strictSchema.ts';
import { isOfThisRequest } from './failures.ts';

export interface Logprobs {
  readonly areAskedFor: boolean;
  /** The part of a request that asks for them. */
  readonly asking: { logprobs: true; top_logprobs: number };
  /** Some came: the endpoint knows them. */
  came(): void;
  /** A request was answered without them that was refused with them. */
  refused(): void;
  /** Whether the refusal of a request that asks for them may be of that. */
  mayBeWhy(error: unknown): boolean;
}

/** OpenAI and vLLM take 20, older servers 5; the marks that a model wavers between are among the first. */
const ALTERNATIVES = 5;
/** A token with its alternatives takes 450 bytes of a body, of which boundedFetch.ts reads so many that this fits. */
export const MOST_WEIGHED_TOKENS = 4000;
/** OpenAI says 403 of a model, gateways 400 and 422 of a parameter. */
const REFUSALS = new Set([400, 403, 422, 501]);

export function createLogprobs(isSet: boolean, onRefused: () => void): Logprobs {
  let areAskedFor = isSet;
  let isKnown = false;
  return {
    get areAskedFor() {
      return areAskedFor;
    },
    asking: { logprobs: true, top_logprobs: ALTERNATIVES },
    came() {
      isKnown = true;
    },
    refused() {
      if (areAskedFor) onRefused();
      areAskedFor = false;
    },
    mayBeWhy(error) {
      // The body was too long with them.
      if (error instanceof CutOff) return true;
      if (!(error instanceof APIError) || typeof error.status !== 'number') return false;
      if (isOfThisRequest(error)) return false;
      return REFUSALS.has(error.status) || (error.status === 500 && !isKnown);
    },
  };
}

const token = z.object({
  token: z.string().max(1000),
  logprob: z.number(),
  bytes: z.array(z.int().min(0).max(255)).max(1000).nullish().catch(null),
});
const saidTokens = z.object({
  choices: z
    .tuple([
      z.object({
        logprobs: z.object({
          content: z
            .array(token.extend({ top_logprobs: z.array(token).max(100).catch([]) }))
            .min(1)
            .max(100_000),
        }),
      }),
    ])
    .rest(z.unknown()),
});

/** The tokens of a reply with their log-probabilities; null where the endpoint gave none, or in a form of its own. */
export function saidTokensIn(reply: unknown): SaidToken[] | null {
  const read = saidTokens.safeParse(reply).data;
  if (read === undefined) return null;
  return read.choices[0].logprobs.content.map(({ top_logprobs, ...said }) => ({
    bytes: bytesOf(said),
    probability: probabilityOf(said),
    others: top_logprobs.flatMap((other) =>
      other.token === said.token ? [] : [{ text: other.token, probability: probabilityOf(other) }],
    ),
  }));
}

/** A token may be a part of a character; then its text says nothing and its bytes do. */
const bytesOf = ({ token: text, bytes }: z.infer<typeof token>): Buffer =>
  bytes === null || bytes === undefined ? Buffer.from(text) : Buffer.from(bytes);

const probabilityOf = ({ logprob }: z.infer<typeof token>): number => Math.exp(Math.min(logprob, 0));
