import type { Server, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

/*
 * A server that stops without losing a request.
 *
 *   serving ──drain()──▶ lingering ──▶ closing ──▶ closed
 *
 * Closing a connection that waits for its next request is a race: the request may be on its way already, and whoever sent
 * it cannot know whether it was done. So while it lingers, the server goes on serving, late connections included, and ends
 * each connection with its next answer (`connection: close`), which the caller has read before it could send more. Callers
 * that are silent for so long have given the connection up themselves, or are gone. By then whoever routes requests has
 * been told to send them elsewhere (readiness, preStop). If the process dies here, it is as any other crash.
 */

/** How often a server that closes looks for connections that have become idle. */
const LOOK_MS = 50;
/** A connection that was opened and says nothing counts as busy with its first request, for a minute. */
const SILENT_MS = 1000;

export interface Drainable {
  /** Takes no more once `lingerMs` are over, or no connection is left, and answers what it has begun. */
  drain(lingerMs: number): Promise<void>;
}

/** To be called before the server takes its first request. */
export const drainable = (server: Server): Drainable => {
  let isDraining = false;
  const inHand = new Set<ServerResponse>();
  server.prependListener('request', (_request, response) => {
    if (isDraining) response.shouldKeepAlive = false;
    inHand.add(response);
    response.once('close', () => inHand.delete(response));
  });
  const connections = (): Promise<number> =>
    new Promise((resolve, reject) => {
      server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
    });
  return {
    drain: async (lingerMs) => {
      isDraining = true;
      for (const response of inHand) if (!response.headersSent) response.shouldKeepAlive = false;
      const until = performance.now() + lingerMs;
      while (performance.now() < until && (await connections()) > 0) await wait(LOOK_MS);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // An answer that had begun before the draining leaves its connection open.
      let silentSince = performance.now();
      const looking = setInterval(() => {
        server.closeIdleConnections();
        if (inHand.size > 0) silentSince = performance.now();
        else if (performance.now() - silentSince > SILENT_MS) server.closeAllConnections();
      }, LOOK_MS);
      server.closeIdleConnections();
      await closed;
      clearInterval(looking);
    },
  };
};
