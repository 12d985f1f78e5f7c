import { CutOff } from '../strictSchema.ts';

/** Far above any honest reply with its reasoning. A reply is in memory before it is checked. */
const MAX_BODY_BYTES = 4_000_000;

export const fetchUpTo =
  (maxBodyBytes: number): typeof fetch =>
  async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null || isWithin(maxBodyBytes, response.headers)) return response;
    let bytes = 0;
    const bounded = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          bytes += chunk.byteLength;
          if (bytes > maxBodyBytes) controller.error(new CutOff('The JSON is far too long.'));
          else controller.enqueue(chunk);
        },
      }),
    );
    return new Response(bounded, response);
  };

/**
 * Whether the declared length is within the limit, and `fetch` cuts the body there. A compressed body can be longer
 * than its declared length.
 */
const isWithin = (maxBodyBytes: number, headers: Headers): boolean => {
  const length = headers.get('content-length');
  return length !== null && !headers.has('content-encoding') && Number(length) <= maxBodyBytes;
};

/** `fetch` with a bound on the body. A longer body throws CutOff, and its connection is closed. */
export const boundedFetch = fetchUpTo(MAX_BODY_BYTES);
