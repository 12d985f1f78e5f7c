import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { startLink } from '../../../tests/harness/link.ts';
import type { ControlPlane } from '../servers/controlPlane.ts';
import { highestOf } from './coreMetrics.ts';
import type { Metrics } from './metrics.ts';
import { listenHere } from '../../../tests/harness/listenHere.ts';

const GROUP = 'external.metrics.k8s.io';
const VERSION = `${GROUP}/v1beta1`;

/**
 * Takes the place of Prometheus and its adapter: serves `external.metrics.k8s.io`, from which the autoscalers of the
 * cluster read, with the present values of core's pods (docs/kubernetes.md#scaling-by-lane).
 *
 * @param metricsUrls where core's pods serve `/metrics` now
 */
export const startExternalMetrics = async (
  { certificates, api }: ControlPlane,
  metricsUrls: () => string[],
): Promise<Metrics> => {
  const server = createServer(
    { cert: await readFile(certificates.certificate), key: await readFile(certificates.key) },
    (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'https://metrics');
      const [, metric] = /\/namespaces\/[^/]+\/(\w+)$/.exec(pathname) ?? [];
      const send = (status: number, body: object): void => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      };
      if (pathname === `/apis/${VERSION}`)
        send(200, { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: VERSION, resources: [] });
      else if (metric === undefined)
        send(404, { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 404 });
      else {
        const [, lane = ''] = /lane=(\w+)/.exec(searchParams.get('labelSelector') ?? '') ?? [];
        void highestOf(metricsUrls(), metric, lane).then((value) => {
          const item = {
            metricName: metric,
            metricLabels: { lane },
            timestamp: new Date().toISOString(),
            value,
          };
          const items = value === null ? [] : [item];
          send(200, { kind: 'ExternalMetricValueList', apiVersion: VERSION, metadata: {}, items });
        });
      }
    },
  );
  const port = await listenHere(server);
  const link = await startLink(port);
  // An ExternalName Service lets the API server reach a process of this machine.
  await api.create('/api/v1/namespaces/kube-system/services', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'metrics' },
    spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port: link.port }] },
  });
  await api.create('/apis/apiregistration.k8s.io/v1/apiservices', {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `v1beta1.${GROUP}` },
    spec: {
      service: { name: 'metrics', namespace: 'kube-system', port: link.port },
      group: GROUP,
      version: 'v1beta1',
      groupPriorityMinimum: 100,
      versionPriority: 100,
      insecureSkipTLSVerify: true,
    },
  });
  return {
    link,
    close: async () => {
      await link.close();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};
