import { pipeline, type Duplex, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { Agent, request } from 'undici';
import { CutOff } from '../strictSchema.ts';

/*
 * `fetch` for the client of a model endpoint, with a bound on the body. Requests are made with undici's `request`: a
 * call then costs about half of the CPU time of Node's `fetch`, whose bodies are web streams.
 */

/** Far above any honest reply with its reasoning. A reply is in memory before it is checked. */
const MAX_BODY_BYTES = 4_000_000;

/** The client's time limits are shorter than undici's own would have to be, so undici has none. */
const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
const MOST_REDIRECTS = 5;
/** Redirects that keep method and body. Others would turn a call into a GET, which no endpoint answers. */
const REDIRECTS: ReadonlySet<number> = new Set([307, 308]);

/**
 * Reads the whole body before it returns. A redirect is followed within the origin of the call only: an endpoint that
 * was taken over would otherwise send answers of candidates elsewhere. Any other redirect is returned as the reply. A
 * body longer than MAX_BODY_BYTES fails with CutOff when the response is read, and its connection is closed.
 */
export const boundedFetch: typeof fetch = async (input, init) => {
  const { head, body } = await send(input, init);
  try {
    const bytes = Buffer.concat(await Array.fromAsync(bounded(body)));
    // A status such as 204 allows no body, not even an empty one.
    return new Response(bytes.byteLength === 0 ? null : bytes, head);
  } catch (error) {
    if (!(error instanceof CutOff)) throw error;
    return new Response(new ReadableStream({ start: (controller) => controller.error(error) }), head);
  }
};

const send = async (
  input: string | URL | Request,
  init: RequestInit = {},
): Promise<{ head: ResponseInit; body: Readable }> => {
  const headers = { ...Object.fromEntries(new Headers(init.headers)), 'accept-encoding': 'identity' };
  const ask = (url: URL) =>
    request(url, {
      method: init.method ?? 'GET',
      headers,
      body: typeof init.body === 'string' ? init.body : null,
      signal: init.signal ?? null,
      dispatcher,
    });
  let url = new URL(input instanceof Request ? input.url : input);
  let response = await ask(url);
  for (let redirects = 0; redirects < MOST_REDIRECTS && REDIRECTS.has(response.statusCode); redirects++) {
    const location = response.headers.location;
    const next = typeof location === 'string' ? URL.parse(location, url.href) : null;
    if (next === null || next.origin !== url.origin) break;
    await response.body.dump();
    url = next;
    response = await ask(url);
  }
  const fields = Object.entries(response.headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((each): [string, string] => [name, each]),
  );
  return {
    head: { status: response.statusCode, headers: fields },
    body: decompressed(response.body, response.headers['content-encoding']),
  };
};

const DECOMPRESS = new Map<string, () => Duplex>([
  ['br', createBrotliDecompress],
  ['deflate', createInflate],
  ['gzip', createGunzip],
  ['zstd', createZstdDecompress],
]);

/** Bodies are asked for as they are. Some gateways compress them all the same. */
const decompressed = (body: Readable, encoding: unknown): Readable => {
  const decompress = typeof encoding === 'string' ? DECOMPRESS.get(encoding) : undefined;
  // `pipeline` ends both streams if one of them fails; the reader gets the error.
  return decompress === undefined ? body : pipeline(body, decompress(), () => {});
};

async function* bounded(body: Readable): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of body) {
    if (!(chunk instanceof Uint8Array)) continue;
    bytes += chunk.byteLength;
    if (bytes > MAX_BODY_BYTES) throw new CutOff('The JSON is far too long.');
    yield chunk;
  }
}
