/**
 * A programmable OpenAI-compatible server for tests and benchmarks: POST {baseUrl}/chat/completions.
 *
 * State: the calls seen, the script that decides how to behave, the truth to answer by. All of it lives and dies with
 * this process. A call is recorded when its request has arrived and marked ended when its answer is out or the client
 * has gone.
 */
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { toDecision } from './behaviour.ts';
import type { Behaviour, ModelCallRecord, Script } from './behaviour.ts';
import { asObject, asText, schemaOf } from './chatRequest.ts';
import type { ChatRequest, Json } from './chatRequest.ts';
import { answerFor } from './perfectReader.ts';
import { createPromptCache } from './promptCache.ts';
import type { Truth } from './truth.ts';

export interface ModelServer {
  /** Ends in /v1. */
  readonly baseUrl: string;
  /** Every call since the start or the last reset, in order of arrival. */
  readonly calls: readonly ModelCallRecord[];
  /** The most calls that were under way at once since the start or the last reset. */
  readonly peakInFlight: number;
  /** Replaces how the server behaves from now on. */
  behave(script: Script): void;
  /** Replaces the truth that answers are made from. */
  know(truth: Truth): void;
  /** Forgets calls, script and truth. */
  reset(): void;
  /** Resolves once `met` holds of the calls; looked at whenever a call begins or ends. Rejects after `timeoutMs`. */
  waitFor(met: (calls: readonly ModelCallRecord[]) => boolean, timeoutMs?: number): Promise<void>;
  close(): Promise<void>;
}

/** Starts the server on a free port of the loopback interface. */
export async function startModelServer(): Promise<ModelServer> {
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
    const gone = new AbortController();
    response.once('close', () => {
      call.aborted = !response.writableFinished;
      call.endedAt = Date.now();
      gone.abort();
      changed();
    });
    calls.push(call);
    const knownCharacters = promptCache.charactersKnown(body);
    peak = Math.max(peak, calls.filter(({ endedAt }) => endedAt === null).length);
    const behaviour = decide(call);
    changed();
    if (behaviour.kind === 'hang') return;
    if (behaviour.kind === 'slow') await sleep(behaviour.ms, undefined, { signal: gone.signal });
    if (behaviour.kind === 'held') await behaviour.until;
    respond(response, { body, knownCharacters }, behaviour, truth);
  }

  const server = createServer((request, response) => {
    if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
      sendJson(response, 404, errorBody('no such path'));
      return;
    }
    // The client went away in the middle: the close listener has noted it.
    complete(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
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
    async waitFor(met, timeoutMs = 10_000) {
      if (met(calls)) return;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const look = () => met(calls) && resolve();
      const timer = setTimeout(
        () => reject(new Error(`the model server saw ${calls.length} calls, not what was waited for`)),
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
}

async function readBody(request: IncomingMessage): Promise<ChatRequest | null> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    const value: Json = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    return asObject(value);
  } catch {
    return null;
  }
}

interface Asked {
  body: ChatRequest;
  /** Of the messages as JSON, how many characters at the beginning were sent before. */
  knownCharacters: number;
}

function respond(response: ServerResponse, asked: Asked, behaviour: Behaviour, truth: Truth): void {
  const { body } = asked;
  const answer = () => JSON.stringify(answerFor(body, truth));
  switch (behaviour.kind) {
    case 'status': {
      if (behaviour.retryAfterSeconds !== undefined) {
        response.setHeader('retry-after', String(behaviour.retryAfterSeconds));
      }
      if (behaviour.retryAfterMs !== undefined)
        response.setHeader('retry-after-ms', String(behaviour.retryAfterMs));
      // Endpoints repeat parts of keys and prompts in their errors; so does this one, for tests of redaction.
      return sendJson(
        response,
        behaviour.status,
        errorBody(`status ${behaviour.status}: ${JSON.stringify(body)}`),
      );
    }
    case 'truncated':
      return sendCompletion(response, asked, answer().slice(0, -5));
    case 'out_of_length':
      return sendCompletion(response, asked, answer().slice(0, -5), 'length');
    case 'altered':
      return sendCompletion(response, asked, JSON.stringify(behaviour.alter(answerFor(body, truth))));
    case 'violating':
      return sendCompletion(response, asked, JSON.stringify({ unexpected: true }));
    case 'content': {
      const { content } = behaviour;
      return sendCompletion(response, asked, typeof content === 'string' ? content : JSON.stringify(content));
    }
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
}

function sendCompletion(
  response: ServerResponse,
  { body, knownCharacters }: Asked,
  content: string,
  finishReason: 'stop' | 'length' = 'stop',
): void {
  const promptTokens = Math.ceil(JSON.stringify(body['messages'] ?? null).length / 4);
  const completionTokens = Math.ceil(content.length / 4);
  sendJson(response, 200, {
    id: 'chatcmpl-test',
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1000),
    model: body['model'] ?? '',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: finishReason }],
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
      prompt_tokens_details: { cached_tokens: Math.floor(knownCharacters / 4) },
    },
  });
}

function errorBody(message: string): Json {
  return { error: { message, type: 'test_error', code: null } };
}

function sendJson(response: ServerResponse, status: number, value: Json): void {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}
