import { readFile } from 'node:fs/promises';
import OpenAI from 'openai';
import type {
  ChatCompletionContentPart,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import { z } from 'zod/v4';
import type { GraderOptions } from '../grader.ts';
import { GraderFailure } from '../grader.ts';
import type { PromptPart } from '../modelCall.ts';
import { createSemaphore } from '../semaphore.ts';
import { MalformedOutput } from '../strictSchema.ts';
import { createBreaker, type Breaker, type Passage } from './breaker.ts';
import { isDown } from './failures.ts';

export type OpenAiOptions = Extract<GraderOptions, { provider: 'openai' }>;

export interface Completion {
  content: string;
  inputTokens: number;
  outputTokens: number;
}

/**
 * One place through which every call of a grader goes out; at most `maxConcurrentCalls` are out at once, and none while
 * the provider is down.
 */
export interface Connection {
  readonly breaker: Breaker;
  /** One HTTP request, never repeated here. Throws what the client throws, or MalformedOutput. */
  complete(
    messages: ChatCompletionMessageParam[],
    schema: { name: string; schema: Record<string, unknown> },
    options: {
      signal: AbortSignal;
      /** The run that the call is for: any object that its calls share. */
      run: object;
      /** The request goes out now. */
      onCall: () => void;
    },
  ): Promise<Completion>;
}

/** Short at first: a restart takes seconds. The longest keeps a run's way back short beside its deadline of minutes. */
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 15_000;

// Read by our own schema and not by the client's types: "compatible" servers answer all sorts of things.
const token = z.number().min(0).max(1e9).catch(0);
const replySchema = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }),
      }),
    )
    .min(1),
  usage: z.object({ prompt_tokens: token, completion_tokens: token }).nullish(),
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
  const places = createSemaphore(options.maxConcurrentCalls);
  const progress = options.onProgress ?? (() => {});
  const breaker = createBreaker({
    firstPauseMs: FIRST_PAUSE_MS,
    longestPauseMs: LONGEST_PAUSE_MS,
    onOpen: () => progress('provider.down', { model: options.model }),
    onClose: () => progress('provider.up', { model: options.model }),
  });

  /** Tells the breaker how the one request ended. */
  async function watched<T>(passage: Passage, signal: AbortSignal, request: () => Promise<T>): Promise<T> {
    try {
      const reply = await request();
      passage.answered();
      return reply;
    } catch (error) {
      if (signal.aborted) passage.givenUp();
      else if (isDown(error)) passage.foundDown();
      else passage.answered();
      throw error;
    }
  }

  return {
    breaker,
    async complete(messages, schema, { signal, run, onCall }) {
      const release = await places.acquire(signal);
      try {
        const passage = await breaker.enter(run, signal);
        onCall();
        const reply: unknown = await watched(passage, signal, async () =>
          client.chat.completions.create(
            {
              model: options.model,
              messages,
              response_format: { type: 'json_schema', json_schema: { ...schema, strict: true } },
            },
            // A time limit of our own over the whole call: the client's covers a slow start only, not a slow body.
            { signal: AbortSignal.any([signal, AbortSignal.timeout(options.callTimeoutSeconds * 1000)]) },
          ),
        );
        return readReply(reply);
      } catch (error) {
        // A 200 whose body is no JSON: a gateway's page, or an answer cut short.
        if (error instanceof SyntaxError) throw new MalformedOutput('There was no answer.', '');
        throw error;
      } finally {
        release();
      }
    },
  };
}

function readReply(reply: unknown): Completion {
  const read = replySchema.safeParse(reply);
  const choice = read.data?.choices[0];
  if (choice === undefined) throw new MalformedOutput('There was no answer.', '');
  const content = choice.message.content ?? '';
  if (choice.finish_reason === 'length') throw new MalformedOutput('The answer was cut off; be briefer.', '');
  if (content === '') throw new MalformedOutput('The answer was empty.', '');
  return {
    content,
    inputTokens: read.data?.usage?.prompt_tokens ?? 0,
    outputTokens: read.data?.usage?.completion_tokens ?? 0,
  };
}

/** Texts as they are, pages as data URLs, which every endpoint that sees images takes. Throws GraderFailure. */
export async function contentOf(parts: readonly PromptPart[]): Promise<ChatCompletionContentPart[]> {
  return await Promise.all(
    parts.map(async (part): Promise<ChatCompletionContentPart> => {
      if ('text' in part) return { type: 'text', text: part.text };
      const jpeg = await readFile(part.jpegFile).catch(() => {
        throw new GraderFailure('permanent', 'a page image could not be read');
      });
      return { type: 'image_url', image_url: { url: `data:image/jpeg;base64,${jpeg.toString('base64')}` } };
    }),
  );
}
