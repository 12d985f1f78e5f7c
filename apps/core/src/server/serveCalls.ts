import type { IncomingMessage, RequestListener } from 'node:http';
import { countStructure, limitsOfCall, BodyTooLarge } from '@evaluation/platform/client-limits';
import { callTRPCProcedure, getTRPCErrorFromUnknown, getTRPCErrorShape, TRPCError } from '@trpc/server';
import { getHTTPStatusCodeFromError } from '@trpc/server/http';
import { coreRouter } from './router.ts';
import { admit, type Context } from './trpc.ts';

/*
 * tRPC over HTTP for one call in each request: `POST /<procedure>` with the input as JSON, as `httpLink` sends it with
 * `methodOverride`. tRPC's own adapter converts each request and response to those of `fetch`, which costs more than
 * most procedures. Batches, streams, subscriptions and inputs in the URL are not served: no client of core uses them.
 */

/**
 * @param maxBodyBytes a longer body is answered with PAYLOAD_TOO_LARGE, as is one with more structure than any valid
 * call of its procedure
 */
export const serveCalls =
  (createContext: (request: IncomingMessage) => Context, maxBodyBytes: number): RequestListener =>
  (request, response) => {
    void answerTo(request, createContext, maxBodyBytes).then(({ status, body }) => {
      const bytes = Buffer.from(JSON.stringify(body));
      response
        .writeHead(status, {
          'content-type': 'application/json',
          'content-length': bytes.byteLength,
          // The rest of a body that was not read must not be taken for the next call.
          ...(request.complete ? {} : { connection: 'close' }),
        })
        .end(bytes);
    });
  };

interface Answer {
  status: number;
  body: unknown;
}

const answerTo = async (
  request: IncomingMessage,
  createContext: (request: IncomingMessage) => Context,
  maxBodyBytes: number,
): Promise<Answer> => {
  const ctx = createContext(request);
  const path = pathOf(request);
  const type = typeOf(path);
  let input: unknown;
  try {
    if (type === null) throw new TRPCError({ code: 'NOT_FOUND' });
    if (request.method !== 'POST') throw new TRPCError({ code: 'METHOD_NOT_SUPPORTED' });
    admitUnread(request, ctx, path);
    input = await inputOf(request, path, maxBodyBytes);
    const data: unknown = await callTRPCProcedure({
      router: coreRouter,
      path,
      type,
      ctx,
      getRawInput: async () => input,
      signal: undefined,
      batchIndex: 0,
    });
    return { status: 200, body: { result: { data } } };
  } catch (thrown) {
    const error = getTRPCErrorFromUnknown(thrown);
    const shape = getTRPCErrorShape({
      config: coreRouter._def._config,
      ctx,
      error,
      input,
      path,
      type: type ?? 'unknown',
    });
    return { status: getHTTPStatusCodeFromError(error), body: { error: shape } };
  }
};

/** Before the body: it costs nothing to a caller without a token or with a role that may not call. */
const admitUnread = (request: IncomingMessage, ctx: Context, path: string): void => {
  try {
    admit(ctx, path);
  } catch (error) {
    // The body is discarded as it arrives, so that the caller reads the answer after its last byte.
    request.resume();
    throw error;
  }
};

const pathOf = ({ url = '' }: IncomingMessage): string => url.slice(1).split('?')[0] ?? '';

/** @returns null for a path without a procedure */
const typeOf = (path: string): 'query' | 'mutation' | null => {
  const { procedures } = coreRouter._def;
  const procedure: unknown = Object.hasOwn(procedures, path) ? Reflect.get(procedures, path) : undefined;
  const type: unknown =
    typeof procedure === 'function' ? Reflect.get(Object(Reflect.get(procedure, '_def')), 'type') : undefined;
  return type === 'query' || type === 'mutation' ? type : null;
};

const inputOf = async (request: IncomingMessage, path: string, maxBodyBytes: number): Promise<unknown> => {
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes)
    throw new TRPCError({ code: 'PAYLOAD_TOO_LARGE' });
  const text = (await bytesOf(request, path, maxBodyBytes)).toString('utf8');
  if (text === '') return undefined;
  if (request.headers['content-type']?.startsWith('application/json') !== true)
    throw new TRPCError({ code: 'UNSUPPORTED_MEDIA_TYPE' });
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new TRPCError({ code: 'PARSE_ERROR', cause });
  }
};

const bytesOf = (request: IncomingMessage, path: string, maxBytes: number): Promise<Buffer> => {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const count = countStructure(limitsOfCall(path));
  const chunks: Buffer[] = [];
  let bytes = 0;
  const onData = (chunk: Buffer): void => {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) {
      request.pause();
      reject(new TRPCError({ code: 'PAYLOAD_TOO_LARGE' }));
      return;
    }
    try {
      count(chunk);
      chunks.push(chunk);
    } catch (cause) {
      if (!(cause instanceof BodyTooLarge)) throw cause;
      // The rest is discarded as it arrives, so that the caller reads the answer after its last byte.
      request.off('data', onData).resume();
      chunks.length = 0;
      reject(new TRPCError({ code: 'PAYLOAD_TOO_LARGE', cause }));
    }
  };
  request.on('data', onData);
  request.once('end', () =>
    resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)),
  );
  request.once('error', reject);
  // Without an end, the caller has disconnected; no answer reaches it.
  request.once('close', () => {
    if (!request.readableEnded) reject(new TRPCError({ code: 'CLIENT_CLOSED_REQUEST' }));
  });
  return promise;
};
