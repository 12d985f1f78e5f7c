import type { IncomingMessage, ServerResponse } from 'node:http';

/*
 * Large calls take turns: parsed, each takes several times its length in memory, and many facades may send at once.
 *
 * A call counts with its declared length from before its first byte is read until its answer is sent or its caller is
 * gone. One that does not fit waits, unread, for those that came before; one that waits too long is answered 503, and
 * nothing has happened. Small calls never wait.
 */

const LARGE_BYTES = 4 * 1024 * 1024;
/** One of the largest that a facade sends, and some beside it. */
const AT_ONCE_BYTES = 128 * 1024 * 1024;
/** Well before the caller gives up. */
const WAIT_MS = 15_000;

export interface LargeCalls {
  /** Calls `go` now or later, or answers 503. */
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
  // One alone always fits.
  const fits = (bytes: number): boolean => taken === 0 || taken + bytes <= atOnceBytes;

  return {
    admit: (request, response, go) => {
      const declared = request.headers['content-length'];
      // Our own callers declare the length of each call.
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
