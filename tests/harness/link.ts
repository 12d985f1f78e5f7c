import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';
import { joinSockets } from './joinSockets.ts';
import { listenHere } from './listenHere.ts';

/** A TCP proxy on a fixed port between two programs, whose connections a test drops or delays. */
export interface Link {
  port: number;
  /** Sends new connections to another port of this machine, after a server has started again. */
  retarget(port: number): void;
  /** Resets all connections, and each new one until `restore`. */
  drop(): void;
  /** Delays each chunk in both directions. Chunks keep their order. */
  delay(ms: number): void;
  restore(): void;
  /** Connections that were reset because the link was down. */
  refused(): number;
  close(): Promise<void>;
}

export const startLink = async (targetPort: number): Promise<Link> => {
  const sockets = new Set<Socket>();
  let target = targetPort;
  let isDown = false;
  let delayMs = 0;
  let refused = 0;

  const late = (): Transform =>
    new Transform({
      transform: (chunk: Buffer, _encoding, pass) => {
        if (delayMs === 0) pass(null, chunk);
        else setTimeout(() => pass(null, chunk), delayMs);
      },
    });

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    if (isDown) {
      refused += 1;
      client.on('error', () => {});
      client.resetAndDestroy();
      return;
    }
    const upstream = connect({ host: '127.0.0.1', port: target, allowHalfOpen: true, noDelay: true });
    joinSockets(client, upstream, sockets, late);
  });
  const port = await listenHere(server);
  const cut = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    port,
    retarget: (next) => {
      target = next;
    },
    drop: () => {
      isDown = true;
      cut();
    },
    delay: (ms) => {
      delayMs = ms;
    },
    restore: () => {
      isDown = false;
      delayMs = 0;
    },
    refused: () => refused,
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
};
