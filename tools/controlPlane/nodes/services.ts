import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { joinSockets } from '../../../tests/harness/joinSockets.ts';
import type { KubeApi } from '../servers/kubeApi.ts';
import { onThisMachine, type Names } from './addresses.ts';
import type { EndpointSliceObject, ServiceObject } from './objects.ts';

/**
 * Services of a namespace, as kube-proxy makes them: a new connection to a Service's address goes to the next ready
 * endpoint and stays there. Without one it is reset.
 */
export interface Services {
  names: () => Names;
  /** Ready endpoints of a Service's first port. */
  endpoints: (service: string) => string[];
  close(): Promise<void>;
}

interface Target {
  host: string;
  port: number;
}

export const startServices = (api: KubeApi, namespace: string): Services => {
  const names = new Map<string, string>();
  const listening = new Map<string, Server>();
  const sockets = new Set<Socket>();
  let slices: readonly EndpointSliceObject[] = [];

  const readyOf = (service: string, portName: string | undefined): Target[] =>
    slices
      .filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === service)
      .flatMap(({ ports, endpoints }) => {
        const port = (ports ?? []).find(
          (one) => portName === undefined || (one.name ?? '') === portName,
        )?.port;
        if (port === undefined) return [];
        return (endpoints ?? [])
          .filter(({ conditions }) => conditions?.ready !== false)
          .flatMap(({ addresses }) => addresses.map((host) => ({ host: onThisMachine(host), port })));
      });

  const listen = async (service: string, address: string, port: number, portName: string): Promise<void> => {
    const key = `${address}:${port}`;
    if (listening.has(key)) return;
    let next = 0;
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
      const ready = readyOf(service, portName);
      const target = ready[(next += 1) % ready.length];
      client.on('error', () => {});
      if (target === undefined) {
        client.resetAndDestroy();
        return;
      }
      joinSockets(client, connect({ ...target, allowHalfOpen: true, noDelay: true }), sockets);
    });
    listening.set(key, server);
    server.listen(port, onThisMachine(address));
    await once(server, 'listening');
  };

  const services = api.watch<ServiceObject>(`/api/v1/namespaces/${namespace}/services`, (found) => {
    for (const { metadata, spec } of found.values()) {
      const { clusterIP = 'None' } = spec;
      if (clusterIP === 'None' || clusterIP === '') continue;
      names.set(metadata.name, clusterIP);
      for (const { port, name = '' } of spec.ports ?? [])
        listen(metadata.name, clusterIP, port, name).catch((error: unknown) =>
          console.error(`Service ${metadata.name}: ${String(error)}`),
        );
    }
    for (const name of names.keys()) if (!found.has(name)) names.delete(name);
  });
  const endpointSlices = api.watch<EndpointSliceObject>(
    `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`,
    (found) => {
      slices = [...found.values()];
    },
  );
  return {
    names: () => names,
    endpoints: (service) => readyOf(service, undefined).map(({ host, port }) => `${host}:${port}`),
    close: async () => {
      services.close();
      endpointSlices.close();
      for (const socket of sockets) socket.destroy();
      for (const server of listening.values()) {
        server.close();
        await once(server, 'close');
      }
    },
  };
};
