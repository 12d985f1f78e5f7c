import { CutOff } from '../strictSchema.ts';

/** Far above any honest reply with all its reasoning; what comes of an endpoint is in memory before it is looked at. */
const MAX_BODY_BYTES = 4_000_000;

/** Fetches as ever, but reads no more of a body than that. What has more ends as CutOff, and its connection is closed. */
export const boundedFetch = fetchUpTo(MAX_BODY_BYTES);

export function fetchUpTo(maxBodyBytes: number): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
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
}
