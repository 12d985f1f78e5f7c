import type { Server, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

/*
 * A server that stops without losing a request.
 *
 *   serving ──drain()──▶ lingering ──▶ closing ──▶ closed
 *
 * Closing an idle connection is a race: the next request may already be on its way, and the client cannot know
 * whether it was processed. Therefore the lingering server still serves all connections, including new ones, and
 * sends `connection: close` with each response. Connections that stay silent for `lingerMs` are closed: by then the
 * load balancer sends requests elsewhere (readiness, preStop). A crash during the drain is like any other crash.
 */

/** Interval of checks for idle connections while closing. */
const LOOK_MS = 50;
/** Node counts a new connection without a request as busy for a minute; the drain closes it after this time. */
const SILENT_MS = 1000;

export interface Drainable {
  /** Lingers until no connection is left or `lingerMs` have passed, then closes and finishes open responses. */
  drain(lingerMs: number): Promise<void>;
}

/** Must be called before the server takes its first request. */
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
      // A response whose headers were sent before the drain leaves its connection open.
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
