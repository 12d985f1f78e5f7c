import * as z from 'zod/v4';
import { integer, read } from './read.ts';

/** Money for a million tokens. */
const Price = z.strictObject({
  input: z.number().min(0),
  /** Where the provider had the beginning of a prompt cached; without it the price of `input`. */
  cached_input: z.number().min(0).optional(),
  output: z.number().min(0),
});

/** JSON in one variable; a mistake in it is told as one of that variable. */
const prices = z
  .string()
  .default('{}')
  .transform((text, context) => {
    try {
      const value: unknown = JSON.parse(text);
      return value;
    } catch {
      context.addIssue({ code: 'custom', message: 'is not JSON' });
      return z.NEVER;
    }
  })
  .pipe(z.record(z.string(), Price));

/** `0:0.31,0.5:0.55,1:0.9`: points that rise, as `npm run agreement` prints them. Passed on as it is: evidence keeps it. */
const confidenceTable = z
  .string()
  .transform((text) => text.replaceAll(' ', ''))
  .refine((text) => {
    if (!/^(?:[01](?:\.\d+)?:[01](?:\.\d+)?(?:,|$)){2,}$/.test(text) || text.endsWith(',')) return false;
    const points = text.split(',').map((point) => point.split(':').map(Number));
    return points.every(([raw = NaN, shown = NaN], index) => {
      const [rawBefore = -1, shownBefore = 0] = points[index - 1] ?? [];
      return raw > rawBefore && shown >= shownBefore && raw <= 1 && shown <= 1;
    });
  }, 'is not a list of points raw:shown, both from 0 to 1 and rising, like 0:0.31,0.5:0.55,1:0.9');

/** What marks answers; shared by the worker and the agreement report. */
export const graderShape = {
  GRADER: z.enum(['openai', 'baseline']).optional(),
  OPENAI_BASE_URL: z.url().default('https://api.openai.com/v1'),
  OPENAI_API_KEY: z.string().optional(),
  GRADER_MODEL: z.string().default('gpt-4.1'),
  /** Not sent when it is not set: several models take no temperature but their own. */
  GRADER_TEMPERATURE: z.coerce.number().min(0).max(2).optional(),
  /** How a request names the limit of its reply; servers that do not know `max_completion_tokens` know `max_tokens`. */
  GRADER_OUTPUT_LIMIT: z
    .enum(['max_completion_tokens', 'max_tokens', 'none'])
    .default('max_completion_tokens'),
  /** The highest limit that is sent: where the model, or its context, takes less than four pages need (12,000). */
  GRADER_MAX_OUTPUT_TOKENS: integer(100, 1_000_000).optional(),
  /** The four that follow are not sent when they are not set: not every server knows them. */
  GRADER_REASONING_EFFORT: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']).optional(),
  GRADER_SEED: z.coerce.number().int().min(0).max(2_147_483_647).optional(),
  GRADER_SERVICE_TIER: z.enum(['auto', 'default', 'flex', 'priority']).optional(),
  /** Sends `prompt_cache_key`, the same for all requests of one question. */
  GRADER_PROMPT_CACHE_KEY: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
  /** Asks for log-probabilities of marks, a feature of confidence, where the endpoint gives them. */
  GRADER_LOGPROBS: z.enum(['off', 'auto']).default('off'),
  /** How closely a page is looked at; `none` leaves it to the server. */
  GRADER_IMAGE_DETAIL: z.enum(['high', 'low', 'auto', 'none']).default('high'),
  MODEL_CALL_SECONDS: integer(1, 300).default(120),
  /** `json_object` and `text` are for servers that do not know strict schemas: the schema then stands in the prompt. */
  GRADER_OUTPUT: z.enum(['json_schema', 'json_object', 'text']).default('json_schema'),
  /** Whether a long answer is judged twice: `doubtful` where it can change whether a teacher looks. */
  SECOND_LOOK: z.enum(['doubtful', 'never', 'always']).default('doubtful'),
  /**
   * An answer longer than this is not judged twice. A thousand words: up to there the question, its criteria and the model
   * answer are most of a prompt, and those the provider has cached; beyond, a second look costs what the first one did.
   */
  SECOND_LOOK_CHARACTERS: integer(0, 1_000_000).default(6000),
  /** What confidence is worth with this model on marks of one's own; without it the table of the code. */
  CONFIDENCE_TABLE: confidenceTable.optional(),
  /** `{"gpt-4.1": {"input": 2, "cached_input": 0.5, "output": 8}}`: what a run has cost; a model without a price has none. */
  MODEL_PRICES: prices,
  MODEL_PRICE_CURRENCY: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .default('USD'),
};

export type GraderEnvironment = z.infer<z.ZodObject<typeof graderShape>>;

/** The grader of an environment: `GRADER`, else openai where there is a key, else the offline baseline. */
export const graderOf = (e: GraderEnvironment) => {
  const provider = e.GRADER ?? (e.OPENAI_API_KEY === undefined ? 'baseline' : 'openai');
  return provider === 'openai'
    ? {
        provider,
        baseUrl: e.OPENAI_BASE_URL,
        // Servers of one's own (vLLM, Ollama) take any key; the client refuses to start without one.
        apiKey: e.OPENAI_API_KEY ?? 'none',
        model: e.GRADER_MODEL,
        callTimeoutSeconds: e.MODEL_CALL_SECONDS,
        output: e.GRADER_OUTPUT,
        secondLook: { when: e.SECOND_LOOK, maxCharacters: e.SECOND_LOOK_CHARACTERS },
        ...(e.CONFIDENCE_TABLE === undefined ? {} : { confidenceTable: e.CONFIDENCE_TABLE }),
        outputLimit: e.GRADER_OUTPUT_LIMIT,
        imageDetail: e.GRADER_IMAGE_DETAIL,
        logprobs: e.GRADER_LOGPROBS,
        sendPromptCacheKey: e.GRADER_PROMPT_CACHE_KEY,
        ...(e.GRADER_MAX_OUTPUT_TOKENS === undefined ? {} : { maxOutputTokens: e.GRADER_MAX_OUTPUT_TOKENS }),
        ...(e.GRADER_REASONING_EFFORT === undefined ? {} : { reasoningEffort: e.GRADER_REASONING_EFFORT }),
        ...(e.GRADER_SEED === undefined ? {} : { seed: e.GRADER_SEED }),
        ...(e.GRADER_SERVICE_TIER === undefined ? {} : { serviceTier: e.GRADER_SERVICE_TIER }),
        ...(e.GRADER_TEMPERATURE === undefined ? {} : { temperature: e.GRADER_TEMPERATURE }),
      }
    : { provider };
};

export const pricesOf = (e: GraderEnvironment) => ({
  currency: e.MODEL_PRICE_CURRENCY,
  perMillionTokens: e.MODEL_PRICES,
});
export type ModelPrices = ReturnType<typeof pricesOf>;

/** Settings of a program that grades and does nothing else. */
export const readGraderSettings = (env: Record<string, string | undefined> = process.env) => {
  const e = read(z.object(graderShape), env);
  return { grader: graderOf(e), prices: pricesOf(e) };
};
export type GraderSettings = ReturnType<typeof readGraderSettings>;
