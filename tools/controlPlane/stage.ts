import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startServers, type Servers } from '../chaos/site/servers.ts';
import type { Link } from '../../tests/harness/link.ts';
import { makeImages } from '../../tests/images/container.ts';
import type { Values } from '../../tests/chart/helm.ts';
import { startExternalMetrics } from './metrics/externalMetrics.ts';
import { startPrometheus } from './metrics/prometheus.ts';
import { onThisMachine } from './nodes/addresses.ts';
import { startNodes, type Nodes } from './nodes/nodes.ts';
import type { PodRun } from './nodes/podRun.ts';
import { startServices, type Services } from './nodes/services.ts';
import { NAME, NAMESPACE, prepareNamespace, valuesFor } from './release.ts';
import type { Binaries } from './servers/binaries.ts';
import { startControlPlane } from './servers/controlPlane.ts';
import { startKeda } from './servers/keda.ts';
import type { KubeApi } from './servers/kubeApi.ts';

/** An empty cluster with everything that an installation needs, and the servers outside of it. */
export interface Stage {
  api: KubeApi;
  kubeconfig: string;
  servers: Servers;
  nodes: Nodes;
  services: Services;
  /** Between the autoscalers and their metrics. */
  metrics: Link;
  values: Values;
  hasKeda: boolean;
  /** Address of the facade's Service. Clients use it in place of an Ingress. */
  url(): string;
  podsOf(component: string): PodRun[];
  close(): Promise<void>;
}

const NODES = 2;

export const setStage = async (binaries: Binaries, say: (line: string) => void): Promise<Stage> => {
  const closers: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const closer of closers.splice(0).toReversed()) await closer();
  };
  try {
    say('bundling the images');
    const images = await makeImages(['facade', 'core', 'worker', 'migrate']);
    closers.push(images.close);
    const servers = await startServers(false);
    closers.push(servers.close);
    const plane = await startControlPlane(binaries, servers.folder);
    closers.push(plane.close);
    const { api, kubeconfig } = plane;
    await prepareNamespace(api, servers);
    const services = startServices(api, NAMESPACE);
    closers.push(services.close);
    const nodes = await startNodes({
      api,
      images,
      names: services.names,
      folder: join(servers.folder, 'pods'),
      count: NODES,
      say,
    });
    closers.push(nodes.close);
    const podsOf = (component: string): PodRun[] =>
      [...nodes.pods.values()].filter(
        ({ pod }) => pod.metadata.labels?.['app.kubernetes.io/component'] === component,
      );
    const metricsUrls = (): string[] =>
      podsOf('core').map(({ address }) => `http://${onThisMachine(address)}:9090/metrics`);
    const { keda } = binaries;
    const metrics =
      keda === null ? await startExternalMetrics(plane, metricsUrls) : await startPrometheus(metricsUrls);
    closers.push(metrics.close);
    if (keda !== null) closers.push((await startKeda(keda, plane)).close);
    say(`the control plane runs with ${NODES} nodes`);
    return {
      api,
      kubeconfig,
      servers,
      nodes,
      services,
      metrics: metrics.link,
      values: valuesFor(servers, keda === null ? null : `http://127.0.0.1:${metrics.link.port}`),
      hasKeda: keda !== null,
      url: () => `http://${onThisMachine(services.names().get(`${NAME}-facade`) ?? '')}`,
      podsOf,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};

/** @throws Error naming `what`, if the condition is not met in time */
export const waitFor = async (
  what: string,
  isMet: () => boolean | Promise<boolean>,
  timeoutMs = 180_000,
): Promise<void> => {
  const deadline = performance.now() + timeoutMs;
  while (!(await isMet())) {
    if (performance.now() > deadline) throw new Error(`waited too long: ${what}`);
    await wait(250);
  }
};
