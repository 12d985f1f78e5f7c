import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../../tests/harness/processes.ts';
import type { Binaries } from './binaries.ts';
import { makeCertificates, type Certificates } from './certificates.ts';
import { kubeApi, type KubeApi } from './kubeApi.ts';
import { startServer, type Server } from './server.ts';

/** etcd, kube-apiserver, kube-controller-manager and kube-scheduler on loopback, without nodes. */
export interface ControlPlane {
  folder: string;
  certificates: Certificates;
  /** Kubeconfig of a user in `system:masters`. */
  kubeconfig: string;
  api: KubeApi;
  close(): Promise<void>;
}

const TOKEN = 'rehearsal-token';
const HPA_PERIOD = '5s';

export const startControlPlane = async (binaries: Binaries, parent: string): Promise<ControlPlane> => {
  const folder = join(parent, 'control-plane');
  await mkdir(folder);
  const certificates = await makeCertificates(folder);
  const started: Server[] = [];
  const close = async (): Promise<void> => {
    for (const server of started.splice(0).toReversed()) await server.close();
  };
  try {
    const etcdUrl = `http://127.0.0.1:${await freePort()}`;
    const peerUrl = `http://127.0.0.1:${await freePort()}`;
    started.push(
      await startServer(
        binaries.etcd,
        [
          '--data-dir',
          join(folder, 'etcd'),
          '--unsafe-no-fsync',
          '--listen-client-urls',
          etcdUrl,
          '--advertise-client-urls',
          etcdUrl,
          '--listen-peer-urls',
          peerUrl,
          '--initial-advertise-peer-urls',
          peerUrl,
          '--initial-cluster',
          `default=${peerUrl}`,
        ],
        folder,
        async () => (await fetch(`${etcdUrl}/health`)).ok,
      ),
    );
    const tokens = join(folder, 'tokens.csv');
    await writeFile(tokens, `${TOKEN},admin,admin,system:masters\n`, { mode: 0o600 });
    const port = await freePort();
    const url = `https://127.0.0.1:${port}`;
    const api = kubeApi(url, TOKEN, await readFile(certificates.authority));
    const kubeconfig = await writeKubeconfig(folder, url, certificates);
    started.push({ close: async () => api.close() });
    started.push(
      await startServer(
        binaries.apiserver,
        [
          `--etcd-servers=${etcdUrl}`,
          '--bind-address=127.0.0.1',
          `--secure-port=${port}`,
          '--advertise-address=127.0.0.1',
          '--endpoint-reconciler-type=none',
          `--tls-cert-file=${certificates.certificate}`,
          `--tls-private-key-file=${certificates.key}`,
          '--authorization-mode=RBAC',
          `--token-auth-file=${tokens}`,
          '--service-account-issuer=https://rehearsal',
          '--service-cluster-ip-range=10.96.0.0/16',
          `--service-account-key-file=${certificates.accountsPublicKey}`,
          `--service-account-signing-key-file=${certificates.accountsKey}`,
          `--requestheader-client-ca-file=${certificates.authority}`,
          '--requestheader-allowed-names=front-proxy',
          '--requestheader-username-headers=X-Remote-User',
          '--requestheader-group-headers=X-Remote-Group',
          '--requestheader-extra-headers-prefix=X-Remote-Extra-',
          `--proxy-client-cert-file=${certificates.aggregatorCertificate}`,
          `--proxy-client-key-file=${certificates.aggregatorKey}`,
        ],
        folder,
        async () => await api.find<string>('/readyz').then(() => true, isReadyText),
      ),
    );
    const common = [`--kubeconfig=${kubeconfig}`, '--leader-elect=false', '--bind-address=127.0.0.1'];
    const own = async (): Promise<string[]> => [
      ...common,
      `--secure-port=${await freePort()}`,
      '--authentication-skip-lookup=true',
    ];
    started.push(
      await startServer(
        binaries.controllerManager,
        [
          ...(await own()),
          `--service-account-private-key-file=${certificates.accountsKey}`,
          `--root-ca-file=${certificates.authority}`,
          `--horizontal-pod-autoscaler-sync-period=${HPA_PERIOD}`,
          `--cert-dir=${folder}/controller-manager`,
        ],
        folder,
        async () => (await api.find('/api/v1/namespaces/default/serviceaccounts/default')) !== null,
      ),
    );
    started.push(await startServer(binaries.scheduler, await own(), folder, async () => true));
    return { folder, certificates, kubeconfig, api, close };
  } catch (error) {
    await close();
    throw error;
  }
};

/** `/readyz` answers `ok`, which is not JSON. */
const isReadyText = (error: unknown): boolean => error instanceof SyntaxError;

const writeKubeconfig = async (
  folder: string,
  server: string,
  certificates: Certificates,
): Promise<string> => {
  const file = join(folder, 'kubeconfig');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'rehearsal',
    clusters: [{ name: 'rehearsal', cluster: { server, 'certificate-authority': certificates.authority } }],
    users: [{ name: 'admin', user: { token: TOKEN } }],
    contexts: [{ name: 'rehearsal', context: { cluster: 'rehearsal', user: 'admin' } }],
  };
  await writeFile(file, JSON.stringify(config), { mode: 0o600 });
  return file;
};
