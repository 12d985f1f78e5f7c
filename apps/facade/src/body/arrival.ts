import type { IncomingMessage } from 'node:http';

export interface Patience {
  /** Longest time without a byte. */
  idleMs: number;
  /** Longest time from the head of the request to the end of its body. */
  totalMs: number;
}

/** The body broke off or exceeded its time limit, so the request is not known in full. */
export class CutOff extends Error {}

/**
 * Passes the body to `take` chunk by chunk and resolves at its end. An error thrown by `take` ends the reading; the
 * rest of the body is discarded as it arrives.
 * @throws CutOff, and what `take` throws
 */
export const arrivalOf = (
  request: IncomingMessage,
  patience: Patience,
  take: (chunk: Buffer) => void,
): Promise<void> => {
  // The client disconnected before the listeners below were attached.
  if (request.destroyed && !request.readableEnded)
    return Promise.reject(new CutOff('the client disconnected'));
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const begunMs = performance.now();
  let bytes = 0;
  let bytesBefore = -1;
  let idleTicks = 0;

  const onData = (chunk: Buffer): void => {
    bytes += chunk.length;
    try {
      take(chunk);
    } catch (error) {
      end(error);
    }
  };
  const onEnd = (): void => end(null);
  const onDisconnect = (): void => end(new CutOff('the client disconnected while its body was read'));
  // Requires two ticks without a byte: after the process was busy, the timer fires before bytes that have already
  // arrived.
  const ticking = setInterval(() => {
    idleTicks = bytes === bytesBefore ? idleTicks + 1 : 0;
    bytesBefore = bytes;
    if (idleTicks === 2 || performance.now() - begunMs > patience.totalMs)
      end(new CutOff('the body did not arrive in time'));
  }, patience.idleMs / 2);
  ticking.unref();

  const end = (error: unknown): void => {
    clearInterval(ticking);
    request.off('data', onData).off('end', onEnd).off('aborted', onDisconnect).off('close', onDisconnect);
    if (error === null) resolve();
    else reject(error instanceof Error ? error : new Error('reading a body failed', { cause: error }));
  };

  request.on('data', onData).on('end', onEnd).on('aborted', onDisconnect).on('close', onDisconnect);
  // Ignored: `close` follows and rejects the promise.
  request.on('error', () => {});
  return promise;
};
