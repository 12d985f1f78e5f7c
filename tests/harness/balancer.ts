import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { joinSockets } from './joinSockets.ts';
import { listenHere } from './listenHere.ts';

/**
 * Balances connections like a Kubernetes Service: a new connection goes to the next replica and stays there. A removed
 * replica gets no new connections and keeps its open ones.
 */
export interface Balancer {
  url: string;
  add(url: string): void;
  remove(url: string): void;
  close(): Promise<void>;
}

export const startBalancer = async (...replicas: string[]): Promise<Balancer> => {
  const sockets = new Set<Socket>();
  let next = 0;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const url = replicas[(next += 1) % replicas.length];
    if (url === undefined) {
      client.resetAndDestroy();
      return;
    }
    const { hostname: host, port } = new URL(url);
    joinSockets(client, connect({ host, port: Number(port), allowHalfOpen: true }), sockets);
  });
  const port = await listenHere(server);
  return {
    url: `http://127.0.0.1:${port}`,
    add: (url) => void replicas.push(url),
    remove: (url) => void replicas.splice(replicas.indexOf(url), 1),
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
};
