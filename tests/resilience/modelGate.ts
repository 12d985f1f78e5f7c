import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A proxy to a model server. Its address stays the same while it is shut or holds answers back. */
export interface ModelGate {
  baseUrl: string;
  /** Refuses connections from now on, and resets the open ones. */
  shut(): Promise<void>;
  open(): Promise<void>;
  /** Passes requests on from now on, and holds their answers back. */
  hold(): void;
  /** Sends the answers that were held back, and passes later ones on. */
  release(): void;
  close(): Promise<void>;
}

export const startModelGate = async (modelUrl: string): Promise<ModelGate> => {
  const target = Number(new URL(modelUrl).port);
  const sockets = new Set<Socket>();
  const answers = new Map<Socket, Socket>();
  let holds = false;
  const server = createServer((client) => {
    const upstream = connect({ host: '127.0.0.1', port: target });
    answers.set(upstream, client);
    client.pipe(upstream);
    if (!holds) upstream.pipe(client);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        answers.delete(from);
        to.destroy();
      });
    }
  });
  const listen = async (port: number): Promise<void> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const shut = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  await listen(0);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the system named no port');
  return {
    baseUrl: `http://127.0.0.1:${address.port}/v1`,
    shut,
    open: () => listen(address.port),
    hold: () => {
      holds = true;
      for (const upstream of answers.keys()) upstream.unpipe();
    },
    release: () => {
      holds = false;
      for (const [upstream, client] of answers) upstream.pipe(client);
    },
    close: async () => {
      if (server.listening) await shut();
    },
  };
};
