import { createTurns } from '@evaluation/platform/turns';
import OpenAI from 'openai';
import type {
  ChatCompletionContentPart,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import * as z from 'zod/v4';
import type { LoadedPart } from '../callEvidence.ts';
import type { CallEvidence, GraderLog, GraderOptions, Trouble, Usage } from '../grader.ts';
import { CutOff, MalformedOutput } from '../strictSchema.ts';
import { boundedFetch } from './boundedFetch.ts';
import { createBreaker, type Breaker, type AllowedCall } from './breaker.ts';
import { createFaultLog, factsOf, type FaultLog } from './faultLog.ts';
import {
  insteadOfOutput,
  isDown,
  isTooSlow,
  leftAloneFor,
  LostMaterial,
  NoModelOutput,
  statusThatRefusesRequest,
  statusThatRefusesUs,
  throttledFor,
  TimedOut,
} from './failures.ts';
import { withTimeLimit } from '../timeLimit.ts';
import { createEndpointPause, type EndpointPause } from '../endpointPause.ts';
import { admitCall } from './admitCall.ts';
import { createImages, type Images } from './images.ts';
import { createMaterial, type Material } from './material.ts';
import { askedIn, type Output, type ReplySchema } from './output.ts';
import { observed, observeTokens } from './observed.ts';
import { createOutputLimit } from './outputLimit.ts';

/**
 * Cause of a refused request. `of_us`: the endpoint may refuse all our requests, so the breaker counts a failure.
 * `of_request`: this request is at fault, and the breaker counts an answer. `unknown`: the breaker counts nothing,
 * because a smaller request may be accepted, or the call is a preflight.
 */
type Refusal = 'of_us' | 'of_request' | 'unknown';

export type OpenAiOptions = Extract<GraderOptions, { provider: 'openai' }>;

type Tokens = Pick<Usage, 'inputTokens' | 'cachedInputTokens' | 'outputTokens'>;

/** Sends all calls of a grader, within the limits of admitCall.ts and breaker.ts. */
export interface Connection {
  readonly breaker: Breaker;
  readonly faultLog: FaultLog;
  readonly pause: EndpointPause;
  readonly images: Images;
  readonly material: Material;
  /** Fault of the endpoint in the latest call; null after a reply. */
  readonly trouble: Trouble | null;
  readonly whenRefused: 'wait' | 'fail';
  /** Settings sent with each request beside its messages, and the way to ask for its schema. */
  readonly settings: CallEvidence['settings'];
  readonly model: string;
  readonly imageDetail: 'high' | 'low' | 'auto' | 'none';
  /** Time of the model's last reply, by `performance.now()`; null before the first. */
  readonly answeredAt: number | null;
  /**
   * Makes one HTTP request. @returns the model's output
   * @throws what the client throws, MalformedOutput, or LostMaterial if the endpoint lost a part of the request
   */
  complete(
    messages: ChatCompletionMessageParam[],
    schema: ReplySchema,
    options: {
      signal: AbortSignal;
      /** Number of unusable replies to the same call so far; shifts a set seed. */
      again: number;
      /** Most tokens of an honest reply, without reasoning. */
      outputTokens: number;
      /** Decides what a refusal of this request means. */
      onRefused: (error: unknown) => Refusal;
      /** Equal for requests that begin alike. */
      cacheKey: string;
      /** The run of the call: any object that its calls share. */
      run: object;
      /** true for a call of a preflight: the caller judges the reply, and the reply is not an answer to a run. */
      isPreflight?: boolean;
      onCall: () => void;
      /** Receives the token usage of each reply, usable or not. */
      onTokens: (tokens: Tokens) => void;
    },
  ): Promise<string>;
}

/** Short at first, because a restart takes seconds. The longest is short compared with a run's deadline of minutes. */
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 15_000;
/** Longer than LONGEST_PAUSE_MS and the waits after it: an endpoint that is only overloaded answers a call by then. */
const THROTTLED_MS = 120_000;

/** Some models reply in parts, including their reasoning. */
const textPart = z.object({ type: z.literal('text'), text: z.string() });
const messageContent = z.union([
  z.string(),
  z
    .array(z.unknown())
    .transform((parts) => parts.flatMap((part) => textPart.safeParse(part).data?.text ?? []).join('')),
]);

// Our own schema replaces the client's types, because "compatible" servers send other shapes.
const token = z.int().min(0).max(1e9).catch(0);
const replySchema = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({ content: messageContent.nullish(), refusal: z.string().nullish() }),
      }),
    )
    .min(1),
  usage: z
    .object({
      prompt_tokens: token,
      completion_tokens: token,
      // Some servers omit it.
      prompt_tokens_details: z.object({ cached_tokens: token.nullish() }).nullish().catch(null),
    })
    .nullish(),
});

export const connect = (options: OpenAiOptions): Connection => {
  const client = new OpenAI({
    baseURL: options.baseUrl,
    apiKey: options.apiKey,
    // null keeps the client from reading the environment; settings are the only source.
    organization: null,
    project: null,
    maxRetries: 0,
    // Our own time limit is shorter and covers the body; the client's would end a slow call with another error.
    timeout: 2 * options.callTimeoutSeconds * 1000,
    // The client's debug log would print prompts, which contain answers.
    logLevel: 'off',
    fetch: boundedFetch,
  });
  const pause = options.pause ?? createEndpointPause();
  const places = createTurns({ places: options.maxConcurrentCalls });
  const progress = options.onProgress ?? (() => {});
  const lane = options.lane ?? 'none';
  const { origin } = new URL(options.baseUrl);
  const faultLog = createFaultLog({ model: options.model, lane, origin }, options.log ?? SILENT);
  const material = createMaterial();
  /** Error of the latest call if it concerns the endpoint or its load; null after a reply. */
  let latest: unknown = null;
  const breaker = createBreaker({
    firstPauseMs: FIRST_PAUSE_MS,
    longestPauseMs: LONGEST_PAUSE_MS,
    throttledMs: THROTTLED_MS,
    onOpen: () => {
      if (statusThatRefusesRequest(latest) !== null) faultLog.allRefused(latest);
      progress('provider.down', { model: options.model, origin, ...factsOf(latest) });
    },
    onClose: () => progress('provider.up', { model: options.model, origin }),
  });

  /** Reports the outcome of a request to the breaker, and a pause that the endpoint asks for to all calls. */
  async function watched<T>(
    { allowed, onRefused }: { allowed: AllowedCall; onRefused: (error: unknown) => Refusal },
    signal: AbortSignal,
    request: () => Promise<T>,
  ): Promise<T> {
    try {
      const reply = await request();
      allowed.recordAnswer();
      latest = null;
      return reply;
    } catch (error) {
      const throttled = throttledFor(error);
      const refusal = statusThatRefusesRequest(error) === null ? null : onRefused(error);
      if (signal.aborted || refusal === 'unknown') {
        allowed.abandon();
      } else if (isDown(error) || refusal === 'of_us') {
        latest = error;
        allowed.recordFailure();
      } else if (throttled !== null) {
        latest = error;
        allowed.recordThrottled();
      } else {
        latest = null;
        allowed.recordAnswer();
      }
      const pauseMs = throttled?.retryAfterMs ?? leftAloneFor(error);
      if (pauseMs !== null) pause.extend(pauseMs);
      throw error;
    }
  }

  const sampling = {
    ...(options.temperature === undefined ? {} : { temperature: options.temperature }),
    ...(options.seed === undefined ? {} : { seed: options.seed }),
    ...(options.reasoningEffort === undefined ? {} : { reasoning_effort: options.reasoningEffort }),
  };
  const handling = options.serviceTier === undefined ? {} : { service_tier: options.serviceTier };
  const output: Output = options.output ?? 'json_schema';
  const outputLimit = createOutputLimit({
    name: options.outputLimit ?? 'max_completion_tokens',
    ...(options.maxOutputTokens === undefined ? {} : { mostTokens: options.maxOutputTokens }),
    reasons: options.reasoningEffort !== undefined && options.reasoningEffort !== 'none',
  });
  let answeredAt: number | null = null;

  const settings = { ...sampling, output, endpoint: endpointOf(options.baseUrl) };

  type Asked = Parameters<Connection['complete']>[2];
  function bodyOf(messages: ChatCompletionMessageParam[], schema: ReplySchema, asked: Asked) {
    return {
      model: options.model,
      ...sampling,
      ...(options.seed === undefined ? {} : { seed: options.seed + asked.again }),
      ...(options.sendPromptCacheKey === true ? { prompt_cache_key: asked.cacheKey } : {}),
      ...outputLimit.askedFor(asked.outputTokens),
      ...askedIn(output, messages, schema),
      ...handling,
    };
  }

  function use(
    reply: unknown,
    { onTokens, isPreflight = false }: Asked,
    sent: ChatCompletionMessageParam[],
  ): string {
    outputLimit.learnFrom(reply);
    const read = replySchema.safeParse(reply).data;
    const tokens = tokensOf(read);
    onTokens(tokens);
    observeTokens(lane, tokens);
    const lost = isPreflight ? null : material.lost(sent, tokens);
    if (lost !== null) {
      latest = new LostMaterial(lost, tokens.inputTokens);
      options.onLost?.();
      throw latest;
    }
    // Replies to a preflight do not count, because the endpoint may still refuse all requests of runs.
    if (!isPreflight) answeredAt = performance.now();
    return readReply(read);
  }

  return {
    breaker,
    faultLog,
    pause,
    images: createImages(),
    material,
    get trouble() {
      return troubleIn(latest, breaker.isOpen);
    },
    whenRefused: options.whenRefused ?? 'wait',
    settings,
    model: options.model,
    imageDetail: options.imageDetail ?? 'high',
    get answeredAt() {
      return answeredAt;
    },
    async complete(messages, schema, asked) {
      const { signal, run, onRefused, isPreflight = false } = asked;
      const check = isPreflight ? null : (options.check ?? null);
      const { release, allowed } = await admitCall({ check, places, pause, breaker }, run, signal);
      try {
        asked.onCall();
        return await observed({ lane, call: schema.name, model: options.model, signal }, async () => {
          const body = bodyOf(messages, schema, asked);
          const reply = await watched({ allowed, onRefused }, signal, () =>
            withTimeLimit(
              { signal, ms: options.callTimeoutSeconds * 1000, late: () => new TimedOut() },
              (limited) => outputIn(client.chat.completions.create(body, { signal: limited })),
            ),
          );
          return use(reply, asked, body.messages);
        });
      } finally {
        release();
      }
    },
  };
};

const SILENT: GraderLog = { error: () => {}, warn: () => {} };

const modelOutput = z.object({ choices: z.array(z.unknown()) });

const isFailed = (choice: unknown): boolean =>
  typeof choice === 'object' &&
  choice !== null &&
  'error' in choice &&
  typeof choice.error === 'object' &&
  choice.error !== null;

/**
 * Body of a model's reply, not yet validated.
 * @throws what the client throws; for other bodies NoModelOutput, or the error with the status named in the body
 */
const outputIn = async (response: Promise<unknown>): Promise<unknown> => {
  try {
    const body = await response;
    // The client does not parse JSON with another content type.
    const reply: unknown = typeof body === 'string' ? JSON.parse(body) : body;
    const output = modelOutput.safeParse(reply).data;
    if (output === undefined) throw insteadOfOutput(reply);
    const [first] = output.choices;
    // A gateway has sent a choice before its model failed.
    if (isFailed(first)) throw insteadOfOutput(first);
    return reply;
  } catch (error) {
    throw error instanceof SyntaxError ? new NoModelOutput() : error;
  }
};

/**
 * Fault of the endpoint that a failure shows; null if it concerns the request or the load.
 * @param isPaused true if calls are held back: then requests of several runs were refused, so the request is not at
 *   fault
 */
const troubleIn = (error: unknown, isPaused: boolean): Trouble | null => {
  if (error instanceof LostMaterial) return error.what === 'pictures' ? 'loses_pictures' : 'loses_text';
  if (statusThatRefusesUs(error) !== null) return 'refused';
  if (statusThatRefusesRequest(error) !== null) return isPaused ? 'refused' : null;
  return isDown(error) && !isTooSlow(error) ? 'unreachable' : null;
};

type Reply = z.infer<typeof replySchema>;

const readReply = (reply: Reply | undefined): string => {
  const choice = reply?.choices[0];
  if (choice === undefined) throw new MalformedOutput('There was no JSON.', '');
  const content = choice.message.content ?? '';
  if (choice.finish_reason === 'length')
    throw new CutOff('The JSON was cut off.', reply?.usage?.completion_tokens ?? null);
  if (content === '') throw new MalformedOutput('There was no JSON.', '');
  return content;
};

const tokensOf = (reply: Reply | undefined): Tokens => {
  const used = reply?.usage;
  return {
    inputTokens: used?.prompt_tokens ?? 0,
    cachedInputTokens: used?.prompt_tokens_details?.cached_tokens ?? 0,
    outputTokens: used?.completion_tokens ?? 0,
  };
};

/** Address of the endpoint for evidence, without user name, password, query and fragment. */
const endpointOf = (baseUrl: string): string => {
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname.replace(/\/+$/, '')}`;
};

/** Pages become data URLs. Without a page the content is one string, because servers of text models accept no parts. */
export const contentOf = (
  parts: readonly LoadedPart[],
  detail: Connection['imageDetail'],
): string | ChatCompletionContentPart[] => {
  const texts = parts.flatMap((part) => ('text' in part ? [part.text] : []));
  if (texts.length === parts.length) return texts.join('\n');
  return parts.map((part) =>
    'text' in part
      ? { type: 'text', text: part.text }
      : {
          type: 'image_url',
          image_url: {
            url: `data:image/jpeg;base64,${part.jpeg.toString('base64')}`,
            ...(detail === 'none' ? {} : { detail }),
          },
        },
  );
};
