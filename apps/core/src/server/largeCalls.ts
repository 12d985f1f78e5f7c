import type { IncomingMessage, ServerResponse } from 'node:http';

/*
 * Bounds the memory of large calls, because a parsed call takes several times its length and many facades may send at
 * once.
 *
 * A call is counted with its declared length from before its first byte is read until its response is closed. A call
 * that does not fit waits unread, in order of arrival; after WAIT_MS it is answered 503 without having been started.
 * Small calls never wait.
 */

const LARGE_BYTES = 4 * 1024 * 1024;
/** Room for the largest body that a facade sends, and some smaller ones beside it. */
const AT_ONCE_BYTES = 128 * 1024 * 1024;
/** Shorter than the time after which callers give up. */
const WAIT_MS = 15_000;

interface LargeCalls {
  /** Calls `go` as soon as the call fits, or answers 503. */
  admit(request: IncomingMessage, response: ServerResponse, go: () => void): void;
}

interface Waiting {
  bytes: number;
  begin: () => void;
}

export const largeCalls = (atOnceBytes = AT_ONCE_BYTES, waitMs = WAIT_MS): LargeCalls => {
  const queue: Waiting[] = [];
  let taken = 0;

  const startNext = (): void => {
    for (let [next] = queue; next !== undefined && fits(next.bytes); [next] = queue) {
      queue.shift();
      next.begin();
    }
  };
  // A call of any size fits if no other call is counted.
  const fits = (bytes: number): boolean => taken === 0 || taken + bytes <= atOnceBytes;

  return {
    admit: (request, response, go) => {
      const declared = request.headers['content-length'];
      // A POST without a declared length counts as large. The facade and the workers always declare it.
      const bytes = declared === undefined && request.method === 'POST' ? LARGE_BYTES : Number(declared ?? 0);
      if (!(bytes >= LARGE_BYTES)) {
        go();
        return;
      }
      const waiting: Waiting = {
        bytes,
        begin: () => {
          clearTimeout(late);
          taken += bytes;
          response.off('close', leave).once('close', () => {
            taken -= bytes;
            startNext();
          });
          go();
        },
      };
      const leave = (): void => {
        clearTimeout(late);
        const at = queue.indexOf(waiting);
        if (at >= 0) queue.splice(at, 1);
        startNext();
      };
      const late = setTimeout(() => {
        leave();
        response.writeHead(503, { connection: 'close' }).end();
      }, waitMs);
      response.once('close', leave);
      queue.push(waiting);
      startNext();
    },
  };
};
