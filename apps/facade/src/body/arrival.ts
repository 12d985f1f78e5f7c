import type { IncomingMessage } from 'node:http';

/** How long a body may take to arrive. */
export interface Patience {
  /** Without a byte. */
  idleMs: number;
  /** From its head to its end. */
  totalMs: number;
}

/** The body broke off, or did not come in time: nothing is known of the request. */
export class CutOff extends Error {}

/**
 * Hands the body on, chunk by chunk as it arrives, and resolves at its end. What `take` throws ends the reading: the
 * rest of the body is thrown away as it comes.
 * @throws CutOff, and what `take` throws
 */
export const arrivalOf = (
  request: IncomingMessage,
  patience: Patience,
  take: (chunk: Buffer) => void,
): Promise<void> => {
  // The client went away before anybody listened.
  if (request.destroyed && !request.readableEnded) return Promise.reject(new CutOff('the client went away'));
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
  const onGone = (): void => end(new CutOff('the client went away while its body was read'));
  // Two ticks without a byte, not one: after a busy moment of this process a timer comes before the bytes that wait.
  const ticking = setInterval(() => {
    idleTicks = bytes === bytesBefore ? idleTicks + 1 : 0;
    bytesBefore = bytes;
    if (idleTicks === 2 || performance.now() - begunMs > patience.totalMs)
      end(new CutOff('the body did not arrive in time'));
  }, patience.idleMs / 2);
  ticking.unref();

  const end = (error: unknown): void => {
    clearInterval(ticking);
    request.off('data', onData).off('end', onEnd).off('aborted', onGone).off('close', onGone);
    if (error === null) resolve();
    else reject(error instanceof Error ? error : new Error('reading a body failed', { cause: error }));
  };

  request.on('data', onData).on('end', onEnd).on('aborted', onGone).on('close', onGone);
  // What breaks a connection is told by `close`.
  request.on('error', () => {});
  return promise;
};
