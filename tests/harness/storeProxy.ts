import { once } from 'node:events';
import { createServer, request, type IncomingHttpHeaders } from 'node:http';
import { listenHere } from './listenHere.ts';

interface StoreRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
}

/** A proxy between the service and its object store: records requests, and can act just before a request arrives. */
export interface StoreProxy {
  endpoint: string;
  seen: StoreRequest[];
  /** Runs `act` once, before the next request that `which` accepts is passed on. */
  beforeNext(which: (asked: StoreRequest) => boolean, act: () => Promise<unknown>): void;
  /** Holds requests that `which` accepts until the returned function is called. */
  hold(which: (asked: StoreRequest) => boolean): () => void;
  setAway(away: boolean): void;
  /** Refuses each write with 507, as a store whose quota is used up. */
  setFull(full: boolean): void;
  close(): Promise<void>;
}

const FULL =
  '<?xml version="1.0"?><Error><Code>XMinioStorageFull</Code><Message>Storage backend has reached its minimum free drive threshold.</Message></Error>';

/** @param records false: `seen` stays empty, for runs that last long */
export const startStoreProxy = async (endpoint: string, records = true): Promise<StoreProxy> => {
  const target = new URL(endpoint);
  const seen: StoreRequest[] = [];
  let ambush: { which: (asked: StoreRequest) => boolean; act: () => Promise<unknown> } | null = null;
  let held: { which: (asked: StoreRequest) => boolean; over: Promise<void> } | null = null;
  let isAway = false;
  let isFull = false;
  const server = createServer((incoming, outgoing) => {
    if (isAway) return void outgoing.destroy();
    const { method = '', url = '', headers } = incoming;
    const asked = { method, path: url, headers };
    if (records) seen.push(asked);
    if (isFull && (method === 'PUT' || method === 'POST')) {
      // The body is read to its end; a client that is still sending would otherwise see a reset instead of the answer.
      incoming.resume();
      incoming.once('end', () => outgoing.writeHead(507, { 'content-type': 'application/xml' }).end(FULL));
      return;
    }
    const forward = async (): Promise<void> => {
      if (ambush?.which(asked) === true) {
        const { act } = ambush;
        ambush = null;
        await act();
      }
      if (held?.which(asked) === true) await held.over;
      const onward = request({ hostname: target.hostname, port: target.port, method, path: url, headers });
      onward.on('response', (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      onward.on('error', () => outgoing.destroy());
      outgoing.once('close', () => onward.destroy());
      incoming.pipe(onward);
    };
    forward().catch(() => outgoing.destroy());
  });
  const port = await listenHere(server);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    seen,
    beforeNext: (which, act) => {
      ambush = { which, act };
    },
    hold: (which) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = { which, over: promise };
      return () => {
        held = null;
        resolve();
      };
    },
    setAway: (away) => {
      isAway = away;
    },
    setFull: (full) => {
      isFull = full;
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};
