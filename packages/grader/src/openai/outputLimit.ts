/**
 * Limit on the tokens of a reply, by its kind of call, so that a model that does not stop ends in seconds instead of at
 * the time limit. Reasoning counts too: a model gets room for it once it is known to reason.
 *
 * State: whether the model reasons, learnt from replies or set. It ends with the process; the next one learns it from
 * one reply that is cut off.
 */
import * as z from 'zod/v4';

/** Name of the limit in a request. `none` sends no limit: only the time limit ends a reply. */
type OutputLimitName = 'max_completion_tokens' | 'max_tokens' | 'none';

interface OutputLimit {
  askedFor(tokens: number): { max_completion_tokens?: number; max_tokens?: number };
  /** Checks a reply of any shape for signs of reasoning. */
  learnFrom(reply: unknown): void;
}

interface OutputLimitOptions {
  name: OutputLimitName;
  /** Highest limit, including reasoning: servers refuse a limit above that of the model or its context. */
  mostTokens?: number;
  reasons: boolean;
}

/** Enough for four full pages, and accepted by recent models. */
const MOST_TOKENS = 16_000;
/** Most models take a few thousand for a question. Models that reason accept this limit in addition to the other. */
const REASONING_TOKENS = 16_000;

/**
 * Fields that show reasoning. Ordinary replies, which lack them, fit the schema too: zod makes an error for each field
 * that does not fit, which takes time.
 */
const signsIn = z.object({
  usage: z
    .object({ completion_tokens_details: z.object({ reasoning_tokens: z.unknown() }).nullish().catch(null) })
    .nullish()
    .catch(null),
  choices: z
    .tuple([
      z.object({
        finish_reason: z.unknown(),
        message: z.object({ reasoning_content: z.unknown(), reasoning: z.unknown(), content: z.unknown() }),
      }),
    ])
    .rest(z.unknown())
    .nullish()
    .catch(null),
});

const isReasoningReply = (reply: unknown): boolean => {
  const read = signsIn.safeParse(reply).data;
  const tokens = read?.usage?.completion_tokens_details?.reasoning_tokens;
  if (typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens > 0) return true;
  const choice = read?.choices?.[0];
  if (choice === undefined) return false;
  const { reasoning_content, reasoning, content } = choice.message;
  if ([reasoning_content, reasoning].some((text) => typeof text === 'string' && text !== '')) return true;
  if (typeof content === 'string' && /<\/?think>/.test(content)) return true;
  // Cut off before the first word of the reply: the tokens went into hidden reasoning.
  return choice.finish_reason === 'length' && (content === '' || content == null);
};

export const createOutputLimit = ({ name, mostTokens, reasons }: OutputLimitOptions): OutputLimit => {
  let isReasoning = reasons;
  return {
    askedFor(tokens) {
      if (name === 'none') return {};
      const limit = Math.min(tokens, MOST_TOKENS) + (isReasoning ? REASONING_TOKENS : 0);
      return { [name]: Math.min(limit, mostTokens ?? Infinity) };
    },
    learnFrom(reply) {
      isReasoning ||= isReasoningReply(reply);
    },
  };
};
