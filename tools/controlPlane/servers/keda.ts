import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parse } from 'yaml';
import { freePort } from '../../../tests/harness/processes.ts';
import type { Binaries } from './binaries.ts';
import type { ControlPlane } from './controlPlane.ts';
import { startServer, type Server } from './server.ts';

/** KEDA's operator, and its metrics server as the API `external.metrics.k8s.io` of the cluster. */
export const startKeda = async (
  { operator, adapter, crds }: NonNullable<Binaries['keda']>,
  { folder, certificates, kubeconfig, api }: ControlPlane,
): Promise<Server> => {
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  for (const file of await readdir(crds)) {
    const definition: unknown = parse(await readFile(join(crds, file), 'utf8'));
    if (typeof definition === 'object' && definition !== null) await api.create(definitions, definition);
  }
  while ((await api.find('/apis/keda.sh/v1alpha1/scaledobjects')) === null) await wait(100);
  await api.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'keda' } });

  const environment = {
    KUBECONFIG: kubeconfig,
    POD_NAMESPACE: 'keda',
    KEDA_CLUSTER_OBJECT_NAMESPACE: 'keda',
    WATCH_NAMESPACE: '',
  };
  const [grpc, health, metrics, secure] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const operating = await startServer(
    operator,
    [
      `--metrics-service-bind-address=127.0.0.1:${grpc}`,
      `--health-probe-bind-address=127.0.0.1:${health}`,
      '--metrics-bind-address=0',
      `--cert-dir=${certificates.folder}`,
      '--enable-webhook-patching=false',
    ],
    folder,
    async () => (await fetch(`http://127.0.0.1:${health}/readyz`)).ok,
    environment,
  );
  try {
    const adapting = await startServer(
      adapter,
      [
        `--secure-port=${secure}`,
        '--bind-address=127.0.0.1',
        `--port=${metrics}`,
        `--cert-dir=${certificates.folder}`,
        `--tls-cert-file=${certificates.certificate}`,
        `--tls-private-key-file=${certificates.key}`,
        `--metrics-service-address=localhost:${grpc}`,
        `--authentication-kubeconfig=${kubeconfig}`,
        `--authorization-kubeconfig=${kubeconfig}`,
        `--lister-kubeconfig=${kubeconfig}`,
      ],
      folder,
      async () => (await fetch(`http://127.0.0.1:${metrics}/metrics`)).ok,
      environment,
    );
    // An ExternalName Service lets the API server reach a process of this machine.
    await api.create('/api/v1/namespaces/keda/services', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'keda-metrics-apiserver' },
      spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port: secure }] },
    });
    await api.create('/apis/apiregistration.k8s.io/v1/apiservices', {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: 'v1beta1.external.metrics.k8s.io' },
      spec: {
        service: { name: 'keda-metrics-apiserver', namespace: 'keda', port: secure },
        group: 'external.metrics.k8s.io',
        version: 'v1beta1',
        groupPriorityMinimum: 100,
        versionPriority: 100,
        insecureSkipTLSVerify: true,
      },
    });
    return {
      close: async () => {
        await adapting.close();
        await operating.close();
      },
    };
  } catch (error) {
    await operating.close();
    throw error;
  }
};
