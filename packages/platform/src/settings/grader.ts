import * as z from 'zod/v4';
import { integer, read } from './read.ts';

/** Prices per million tokens. */
const Price = z.strictObject({
  input: z.number().min(0),
  /** Price of input tokens in the provider's prompt cache; default: `input`. */
  cached_input: z.number().min(0).optional(),
  output: z.number().min(0),
});

/** JSON in one variable; parse errors are reported for that variable. */
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

/** `0:0.31,0.5:0.55,1:0.9`: increasing points, as `npm run agreement` prints them. Evidence keeps the text. */
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

/** Settings of the grader; shared by the worker and the agreement report. */
export const graderShape = {
  GRADER: z.enum(['openai', 'baseline']).optional(),
  OPENAI_BASE_URL: z.url().default('https://api.openai.com/v1'),
  OPENAI_API_KEY: z.string().optional(),
  GRADER_MODEL: z.string().default('gpt-4.1'),
  /** Not sent by default, because several models accept only their own temperature. */
  GRADER_TEMPERATURE: z.coerce.number().min(0).max(2).optional(),
  /** Name of the request field that limits the output; older servers know `max_tokens` only. */
  GRADER_OUTPUT_LIMIT: z
    .enum(['max_completion_tokens', 'max_tokens', 'none'])
    .default('max_completion_tokens'),
  /** Upper bound of the output limit in tokens, for models that accept less than four pages need (12,000). */
  GRADER_MAX_OUTPUT_TOKENS: integer(100, 1_000_000).optional(),
  /** Not sent unless set, like the next three settings, because some servers reject these fields. */
  GRADER_REASONING_EFFORT: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']).optional(),
  GRADER_SEED: z.coerce.number().int().min(0).max(2_147_483_647).optional(),
  GRADER_SERVICE_TIER: z.enum(['auto', 'default', 'flex', 'priority']).optional(),
  /** `true`: sends `prompt_cache_key`, with one value for all requests of a question. */
  GRADER_PROMPT_CACHE_KEY: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
  /** Resolution at which the model sees a page; `none` leaves it to the server. */
  GRADER_IMAGE_DETAIL: z.enum(['high', 'low', 'auto', 'none']).default('high'),
  MODEL_CALL_SECONDS: integer(1, 300).default(120),
  /** `json_object` and `text` are for servers without strict schemas: the schema is then part of the prompt. */
  GRADER_OUTPUT: z.enum(['json_schema', 'json_object', 'text']).default('json_schema'),
  /** Second judgement of a long answer. `doubtful`: where it can change whether a teacher must review. */
  SECOND_LOOK: z.enum(['doubtful', 'never', 'always']).default('doubtful'),
  /**
   * Longest answer (characters) that is judged twice, about a thousand words. Up to this length most of the prompt is
   * question, criteria and model answer, which the provider has cached. Beyond it a second judgement costs as much as
   * the first.
   */
  SECOND_LOOK_CHARACTERS: integer(0, 1_000_000).default(6000),
  /** Confidence table measured with this model on the operator's own marks; default: the table in the code. */
  CONFIDENCE_TABLE: confidenceTable.optional(),
  /** `{"gpt-4.1": {"input": 2, "cached_input": 0.5, "output": 8}}`; without a price a run has no cost. */
  MODEL_PRICES: prices,
  MODEL_PRICE_CURRENCY: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .default('USD'),
};

type GraderEnvironment = z.infer<z.ZodObject<typeof graderShape>>;

/** Provider: `GRADER`, else openai if there is a key, else the offline baseline. */
export const graderOf = (e: GraderEnvironment) => {
  const provider = e.GRADER ?? (e.OPENAI_API_KEY === undefined ? 'baseline' : 'openai');
  return provider === 'openai'
    ? {
        provider,
        baseUrl: e.OPENAI_BASE_URL,
        // vLLM and Ollama accept any key, but the OpenAI client refuses to start without one.
        apiKey: e.OPENAI_API_KEY ?? 'none',
        model: e.GRADER_MODEL,
        callTimeoutSeconds: e.MODEL_CALL_SECONDS,
        output: e.GRADER_OUTPUT,
        secondLook: { when: e.SECOND_LOOK, maxCharacters: e.SECOND_LOOK_CHARACTERS },
        ...(e.CONFIDENCE_TABLE === undefined ? {} : { confidenceTable: e.CONFIDENCE_TABLE }),
        outputLimit: e.GRADER_OUTPUT_LIMIT,
        imageDetail: e.GRADER_IMAGE_DETAIL,
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

export const readGraderSettings = (env: Record<string, string | undefined> = process.env) => {
  const e = read(z.object(graderShape), env);
  return { grader: graderOf(e), prices: pricesOf(e) };
};
export type GraderSettings = ReturnType<typeof readGraderSettings>;
