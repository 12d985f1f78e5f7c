import OpenAI from 'openai';
import type {
  ChatCompletionContentPart,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import { z } from 'zod/v4';
import type { LoadedPart } from '../callEvidence.ts';
import type { CallEvidence, GraderOptions, Usage } from '../grader.ts';
import { CutOff, MalformedOutput } from '../strictSchema.ts';
import { createBreaker, type Breaker, type Passage } from './breaker.ts';
import { isDown, leftAloneFor, throttledFor } from './failures.ts';
import { createHold, type Hold } from './hold.ts';
import { askedIn, type Output, type ReplySchema } from './output.ts';
import { observed, observeTokens } from './observed.ts';
import { createPace, type Turn } from './pace.ts';

export type OpenAiOptions = Extract<GraderOptions, { provider: 'openai' }>;

/** What one reply took. */
export type Tokens = Pick<Usage, 'inputTokens' | 'cachedInputTokens' | 'outputTokens'>;

/**
 * One place through which every call of a grader goes out; at most `maxConcurrentCalls` are out at once, fewer while the
 * endpoint bears fewer (pace.ts), and none while the provider is down (breaker.ts).
 */
export interface Connection {
  readonly breaker: Breaker;
  readonly hold: Hold;
  /** What is sent with every request beside its messages, and how it asks for its schema. */
  readonly settings: CallEvidence['settings'];
  readonly model: string;
  /**
   * One HTTP request, never repeated here. @returns what the model said
   * @throws what the client throws, or MalformedOutput
   */
  complete(
    messages: ChatCompletionMessageParam[],
    schema: ReplySchema,
    options: {
      signal: AbortSignal;
      /** The run that the call is for: any object that its calls share. */
      run: object;
      /** The request goes out now. */
      onCall: () => void;
      /** A reply took so much, whether it can be used or not. */
      onTokens: (tokens: Tokens) => void;
    },
  ): Promise<string>;
}

/** Short at first: a restart takes seconds. The longest keeps a run's way back short beside its deadline of minutes. */
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 15_000;

// Read by our own schema and not by the client's types: "compatible" servers answer all sorts of things.
const token = z.int().min(0).max(1e9).catch(0);
const replySchema = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }),
      }),
    )
    .min(1),
  usage: z
    .object({
      prompt_tokens: token,
      completion_tokens: token,
      // Not every server tells it.
      prompt_tokens_details: z.object({ cached_tokens: token.nullish() }).nullish().catch(null),
    })
    .nullish(),
});

export function connect(options: OpenAiOptions): Connection {
  const client = new OpenAI({
    baseURL: options.baseUrl,
    apiKey: options.apiKey,
    // Null keeps the client from taking them out of the environment, which only settings may read.
    organization: null,
    project: null,
    maxRetries: 0,
    timeout: options.callTimeoutSeconds * 1000,
    // Its debug log prints prompts, which hold answers.
    logLevel: 'off',
  });
  const hold = options.hold ?? createHold();
  const pace = createPace(options.maxConcurrentCalls, hold);
  const progress = options.onProgress ?? (() => {});
  const breaker = createBreaker({
    firstPauseMs: FIRST_PAUSE_MS,
    longestPauseMs: LONGEST_PAUSE_MS,
    onOpen: () => progress('provider.down', { model: options.model }),
    onClose: () => progress('provider.up', { model: options.model }),
  });

  /** Tells breaker and pace how the one request ended. */
  async function watched<T>(
    { passage, turn }: { passage: Passage; turn: Turn },
    signal: AbortSignal,
    request: () => Promise<T>,
  ): Promise<T> {
    try {
      const reply = await request();
      passage.answered();
      turn.served();
      return reply;
    } catch (error) {
      if (signal.aborted) passage.givenUp();
      else if (isDown(error)) passage.foundDown();
      else passage.answered();
      const throttled = throttledFor(error);
      if (throttled !== null) turn.throttled(throttled.retryAfterMs);
      const alone = leftAloneFor(error);
      if (alone !== null) hold.askedToWait(alone);
      throw error;
    }
  }

  const sampling = options.temperature === undefined ? {} : { temperature: options.temperature };
  const output: Output = options.output ?? 'json_schema';
  const lane = options.lane ?? 'none';

  return {
    breaker,
    hold,
    settings: { ...sampling, output, endpoint: endpointOf(options.baseUrl) },
    model: options.model,
    async complete(messages, schema, { signal, run, onCall, onTokens }) {
      const turn = await pace.enter(signal);
      try {
        const passage = await breaker.enter(run, signal);
        onCall();
        return await observed({ lane, call: schema.name, model: options.model, signal }, async () => {
          const reply: unknown = await watched({ passage, turn }, signal, async () =>
            client.chat.completions.create(
              { model: options.model, ...sampling, ...askedIn(output, messages, schema) },
              // A time limit of our own over the whole call: the client's covers a slow start only, not a slow body.
              { signal: AbortSignal.any([signal, AbortSignal.timeout(options.callTimeoutSeconds * 1000)]) },
            ),
          );
          const read = replySchema.safeParse(reply).data;
          const tokens = tokensOf(read);
          onTokens(tokens);
          observeTokens(lane, tokens);
          return readReply(read);
        });
      } catch (error) {
        // A 200 whose body is no JSON: a gateway's page, or an answer cut short.
        if (error instanceof SyntaxError) throw new MalformedOutput('There was no answer.', '');
        throw error;
      } finally {
        turn.ended();
      }
    },
  };
}

type Reply = z.infer<typeof replySchema>;

function readReply(reply: Reply | undefined): string {
  const choice = reply?.choices[0];
  if (choice === undefined) throw new MalformedOutput('There was no answer.', '');
  const content = choice.message.content ?? '';
  if (choice.finish_reason === 'length') throw new CutOff('The answer was cut off; be briefer.');
  if (content === '') throw new MalformedOutput('The answer was empty.', '');
  return content;
}

function tokensOf(reply: Reply | undefined): Tokens {
  const used = reply?.usage;
  return {
    inputTokens: used?.prompt_tokens ?? 0,
    cachedInputTokens: used?.prompt_tokens_details?.cached_tokens ?? 0,
    outputTokens: used?.completion_tokens ?? 0,
  };
}

/** Who answers: a gateway may put another model behind a name. Without name, password, query and fragment. */
function endpointOf(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}

/** Texts as they are, pages as data URLs, which every endpoint that sees images takes. */
export function contentOf(parts: readonly LoadedPart[]): ChatCompletionContentPart[] {
  return parts.map((part) =>
    'text' in part
      ? { type: 'text', text: part.text }
      : {
          type: 'image_url',
          image_url: { url: `data:image/jpeg;base64,${part.jpeg.toString('base64')}` },
        },
  );
}
