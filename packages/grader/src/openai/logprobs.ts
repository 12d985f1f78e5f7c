/**
 * Log-probabilities of the tokens of a reply: whether to request them, and their values.
 *
 *   disabled ──▶ never requested
 *   requested ──refused, and the request without them answered──▶ never requested again
 *
 * Many endpoints refuse them, for some models (OpenAI's reasoning models) or for all, and some silently leave them out.
 * Both give the judgement without them.
 *
 * State: whether they were refused, and whether any came. It ends with the process; the next one learns it in its
 * preflight or first call.
 */
import { APIError } from 'openai';
import * as z from 'zod/v4';
import type { ReplyToken } from '../modelCall.ts';
import { CutOff } from '../strictSchema.ts';
import { isOfThisRequest } from './failures.ts';

export interface Logprobs {
  readonly areAskedFor: boolean;
  readonly asking: { logprobs: true; top_logprobs: number };
  came(): void;
  /** A request that was refused with them was answered without them. */
  refused(): void;
  /** Whether they may be the cause of a refusal. */
  mayBeWhy(error: unknown): boolean;
}

/** OpenAI and vLLM accept 20, older servers 5. The marks that a model considers are among the first. */
const ALTERNATIVES = 5;
/** A token with alternatives takes 450 bytes; this many fit into the limit of boundedFetch.ts. */
export const MOST_WEIGHED_TOKENS = 4000;
/**
 * Statuses that refuse log-probabilities: 403 from OpenAI, by model; 400 and 422 from gateways; 501 from servers
 * without them.
 */
const REFUSALS = new Set([400, 403, 422, 501]);

export const createLogprobs = (isSet: boolean, onRefused: () => void): Logprobs => {
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
      // The reply was too long with them.
      if (error instanceof CutOff) return true;
      if (!(error instanceof APIError) || typeof error.status !== 'number') return false;
      if (isOfThisRequest(error)) return false;
      return REFUSALS.has(error.status) || (error.status === 500 && !isKnown);
    },
  };
};

const token = z.object({
  token: z.string().max(1000),
  logprob: z.number(),
  bytes: z.array(z.int().min(0).max(255)).max(1000).nullish().catch(null),
});
const replyTokens = z.object({
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

export const tokensIn = (reply: unknown): ReplyToken[] | null => {
  const read = replyTokens.safeParse(reply).data;
  if (read === undefined) return null;
  return read.choices[0].logprobs.content.map(({ top_logprobs, ...own }) => ({
    bytes: bytesOf(own),
    probability: probabilityOf(own),
    others: top_logprobs.flatMap((other) =>
      other.token === own.token ? [] : [{ text: other.token, probability: probabilityOf(other) }],
    ),
  }));
};

/** A token may be a part of a character: then only its bytes are valid. */
const bytesOf = ({ token: text, bytes }: z.infer<typeof token>): Buffer =>
  bytes === null || bytes === undefined ? Buffer.from(text) : Buffer.from(bytes);

const probabilityOf = ({ logprob }: z.infer<typeof token>): number => Math.exp(Math.min(logprob, 0));
