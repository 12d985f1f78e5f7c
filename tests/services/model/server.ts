/**
 * A programmable OpenAI-compatible server for tests and benchmarks: POST {baseUrl}/chat/completions.
 *
 * State, in memory: the recorded calls, the script (behaviour) and the truth (content of answers). A call is recorded
 * when its request has arrived, and marked as ended when its response is sent or the client has disconnected.
 */
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { toDecision } from './behaviour.ts';
import type { Behaviour, ModelCallRecord, Script } from './behaviour.ts';
import { asArray, asObject, asText, outputLimitOf, schemaOf } from './chatRequest.ts';
import type { ChatRequest, Json, JsonObject } from './chatRequest.ts';
import { readLetters } from './letterReader.ts';
import { CHARACTERS_A_TOKEN, tokensOf, withLastTokens, withoutPictures } from './lossy.ts';
import { answerFor } from './perfectReader.ts';
import { createPromptCache } from './promptCache.ts';
import type { Truth } from './truth.ts';

export interface ModelServer {
  /** Ends in /v1. */
  readonly baseUrl: string;
  /** Calls since the start or the last reset, in order of arrival. */
  readonly calls: readonly ModelCallRecord[];
  /** Highest number of simultaneous calls since the start or the last reset. */
  readonly peakInFlight: number;
  behave(script: Script): void;
  know(truth: Truth): void;
  reset(): void;
  /**
   * Resolves once `met` is true of the calls; checked whenever a call begins or ends. Rejects after `timeoutMs`,
   * which is long by default, so that a slow machine does not fail the test.
   */
  waitFor(met: (calls: readonly ModelCallRecord[]) => boolean, timeoutMs?: number): Promise<void>;
  close(): Promise<void>;
}

export const startModelServer = async (): Promise<ModelServer> => {
  let calls: ModelCallRecord[] = [];
  let decide = toDecision([]);
  let truth: Truth = {};
  let peak = 0;
  const promptCache = createPromptCache();
  const watchers = new Set<() => void>();
  const changed = () => {
    for (const look of watchers) look();
  };

  async function complete(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    if (body === null) return sendJson(response, 400, errorBody('the body is not a JSON object'));
    const call: ModelCallRecord = {
      at: Date.now(),
      schemaName: schemaOf(body).name,
      model: asText(body['model']),
      authorization: request.headers.authorization ?? null,
      body,
      aborted: false,
      endedAt: null,
    };
    const disconnected = new AbortController();
    response.once('close', () => {
      call.aborted = !response.writableFinished;
      call.endedAt = Date.now();
      disconnected.abort();
      changed();
    });
    calls.push(call);
    const knownCharacters = promptCache.charactersKnown(body);
    peak = Math.max(peak, calls.filter(({ endedAt }) => endedAt === null).length);
    const behaviour = decide(call);
    changed();
    if (behaviour.kind === 'hang') return;
    if (behaviour.kind === 'runaway' && outputLimitOf(body) === null) return;
    const slowMs = 'ms' in behaviour ? (behaviour.ms ?? 0) : 0;
    if (slowMs > 0) await sleep(slowMs, undefined, { signal: disconnected.signal });
    if (behaviour.kind === 'held') await behaviour.until;
    const letters = call.schemaName === 'preflight_vision' ? await lettersIn(body) : '';
    respond(response, { body, knownCharacters }, behaviour, { ...truth, letters });
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'POST' && request.url === '/v1/chat/completions') {
      await complete(request, response);
    } else {
      sendJson(response, 404, errorBody('no such path'));
    }
  }

  const server = createServer((request, response) => {
    // Errors here are disconnects, which the close listener has recorded.
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}/v1`;

  return {
    baseUrl,
    get calls() {
      return calls;
    },
    get peakInFlight() {
      return peak;
    },
    behave(script) {
      decide = toDecision(script);
    },
    know(newTruth) {
      truth = newTruth;
    },
    reset() {
      calls = [];
      decide = toDecision([]);
      truth = {};
      peak = 0;
      promptCache.forget();
    },
    async waitFor(met, timeoutMs = 50_000) {
      if (met(calls)) return;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const look = () => met(calls) && resolve();
      const timer = setTimeout(
        () =>
          reject(
            new Error(
              `the model server saw ${summaryOf(calls)}; not what was waited for within ${timeoutMs} ms`,
            ),
          ),
        timeoutMs,
      );
      watchers.add(look);
      await promise.finally(() => {
        clearTimeout(timer);
        watchers.delete(look);
      });
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
};

/** Number of calls by schema, and how many of them have not ended. */
const summaryOf = (calls: readonly ModelCallRecord[]): string => {
  const bySchema = Object.entries(Object.groupBy(calls, ({ schemaName }) => schemaName ?? 'without schema'));
  const each = bySchema.map(([name, made = []]) => {
    const underWay = made.filter(({ endedAt }) => endedAt === null).length;
    return `${name}: ${made.length}${underWay > 0 ? `, ${underWay} of them under way` : ''}`;
  });
  return `${calls.length} calls${each.length > 0 ? ` (${each.join('; ')})` : ''}`;
};

const readBody = async (request: IncomingMessage): Promise<ChatRequest | null> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    const value: Json = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    return asObject(value);
  } catch {
    return null;
  }
};

interface Asked {
  body: ChatRequest;
  /** Number of characters at the beginning of the messages' JSON that an earlier request had. */
  knownCharacters: number;
}

const respond = (response: ServerResponse, asked: Asked, behaviour: Behaviour, truth: Truth): void => {
  const { body } = asked;
  const answered = () => answerFor(inParts(body), truth);
  const answer = () => JSON.stringify(answered());
  switch (behaviour.kind) {
    case 'status': {
      if (behaviour.retryAfterSeconds !== undefined) {
        response.setHeader('retry-after', String(behaviour.retryAfterSeconds));
      }
      if (behaviour.retryAfterMs !== undefined)
        response.setHeader('retry-after-ms', String(behaviour.retryAfterMs));
      // Real endpoints repeat parts of keys and prompts in their errors; tests of redaction need that.
      return sendJson(
        response,
        behaviour.status,
        errorBody(`status ${behaviour.status}: ${JSON.stringify(body)}`, behaviour.error),
      );
    }
    case 'blind': {
      const seen = { body: withoutPictures(body), knownCharacters: 0 };
      return sendCompletion(response, seen, JSON.stringify(answerFor(inParts(body), { letters: 'HELLO' })));
    }
    case 'cuts': {
      const isTooLong = tokensOf(body) > behaviour.tokens;
      const seen = isTooLong ? withLastTokens(body, behaviour.tokens) : body;
      const content = JSON.stringify(answerFor(inParts(seen), truth));
      const completion = completionOf({ body, knownCharacters: 0 }, content);
      const prompt_tokens = Math.min(tokensOf(body), behaviour.tokens);
      return sendJson(response, 200, {
        ...completion,
        usage: { ...asObject(completion['usage']), prompt_tokens },
      });
    }
    case 'truncated':
      return sendCompletion(response, asked, answer().slice(0, -5));
    case 'out_of_length':
      return sendCompletion(response, asked, answer().slice(0, -5), 'length');
    case 'runaway':
      return sendCompletion(response, asked, '{ '.repeat(2 * (outputLimitOf(body) ?? 0)), 'length');
    case 'altered':
      return sendCompletion(response, asked, JSON.stringify(behaviour.alter(answered())));
    case 'violating':
      return sendCompletion(response, asked, JSON.stringify({ unexpected: true }));
    case 'content': {
      const { content } = behaviour;
      return sendCompletion(response, asked, typeof content === 'string' ? content : JSON.stringify(content));
    }
    case 'reshaped': {
      const shaped = behaviour.reshape(completionOf(asked, answer()));
      response.writeHead(200, { 'content-type': behaviour.contentType ?? 'application/json' });
      response.end(typeof shaped === 'string' ? shaped : JSON.stringify(shaped));
      return;
    }
    case 'endless':
      return sendWithoutEnd(response);
    case 'cut': {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100000' });
      response.write('{"choices": [', () => response.destroy());
      return;
    }
    case 'html': {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end('<html><body>Bad gateway</body></html>');
      return;
    }
    default:
      return sendCompletion(response, asked, answer());
  }
};

const lettersIn = async (body: ChatRequest): Promise<string> => {
  const parts = asArray(body['messages']).flatMap((message) => asArray(asObject(message)['content']));
  const url = parts
    .map((part) => asText(asObject(asObject(part)['image_url'])['url']))
    .find((each) => each !== '');
  if (url === undefined) return '';
  return await readLetters(Buffer.from(url.slice(url.indexOf(',') + 1), 'base64'));
};

const sendCompletion = (
  response: ServerResponse,
  asked: Asked,
  content: string,
  finishReason?: 'length',
): void => {
  sendJson(response, 200, completionOf(asked, content, finishReason));
};

const completionOf = (
  { body, knownCharacters }: Asked,
  content: string,
  finishReason: 'stop' | 'length' = 'stop',
): JsonObject => {
  const promptTokens = tokensOf(body);
  const completionTokens = Math.ceil(content.length / CHARACTERS_A_TOKEN);
  return {
    id: 'chatcmpl-test',
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1000),
    model: body['model'] ?? '',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: finishReason }],
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
      prompt_tokens_details: { cached_tokens: Math.floor(knownCharacters / CHARACTERS_A_TOKEN) },
    },
  };
};

const sendWithoutEnd = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const chunk = Buffer.alloc(64 * 1024, ' ');
  const send = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', send);
  send();
};

/** Splits a user message given as one string into its original parts: fenced content, and the text around it. */
const inParts = (body: ChatRequest): ChatRequest => {
  const messages = asArray(body['messages']).map((message): Json => {
    const { role, content } = asObject(message);
    if (role !== 'user' || typeof content !== 'string') return message;
    const fences = [...content.matchAll(/^<<<([A-Z]+) (\w+)>>>\n[\s\S]*?\n<<<END \1 \2>>>$/gm)];
    const edges = fences.flatMap(({ index, 0: fence }) => [index, index + fence.length]);
    const parts = [0, ...edges].map((edge, at) => content.slice(edge, edges[at]));
    return { role, content: parts.map((text) => ({ type: 'text', text })) };
  });
  return { ...body, messages };
};

const errorBody = (message: string, more: JsonObject = {}): Json => ({
  error: { message, type: 'test_error', code: null, ...more },
});

const sendJson = (response: ServerResponse, status: number, value: Json): void => {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
};
