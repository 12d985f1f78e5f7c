import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { knownKinds } from './kubernetes/validate.ts';
import { listenHere } from '../harness/listenHere.ts';

const pluralOf = (kind: string): string => kind.toLowerCase().replace(/y$/, 'ie').replace(/s$/, 'se') + 's';
const GROUPS = [...new Set(knownKinds().map(({ apiVersion }) => apiVersion))]
  .filter((apiVersion) => apiVersion.includes('/'))
  .map((groupVersion) => {
    const [name, version] = groupVersion.split('/');
    const versions = [{ groupVersion, version }];
    return { name, versions, preferredVersion: versions[0] };
  });

export interface Cluster {
  kubeconfig: string;
  /** Secrets of the cluster by name, with values not in base64. A test adds the Secrets that an installation made. */
  secrets: Map<string, Record<string, string>>;
  close(): Promise<void>;
}

/**
 * A server with the part of the Kubernetes API that helm's `lookup` uses: the list of kinds, and reading a Secret. The
 * real helm looks up over HTTP as in an upgrade; nothing can be installed here.
 */
export const startCluster = async (namespace: string): Promise<Cluster> => {
  const secrets = new Map<string, Record<string, string>>();
  const answer = (path: string): [number, unknown] => {
    if (path === '/version') return [200, { major: '1', minor: '33', gitVersion: 'v1.33.0' }];
    if (path === '/api') return [200, { kind: 'APIVersions', versions: ['v1'] }];
    if (path === '/apis') return [200, { kind: 'APIGroupList', apiVersion: 'v1', groups: GROUPS }];
    const groupVersion = path.replace(/^\/apis?\//, '');
    const resources = knownKinds()
      .filter((one) => one.apiVersion === groupVersion)
      .map(({ kind }) => ({
        kind,
        name: pluralOf(kind),
        singularName: kind.toLowerCase(),
        namespaced: true,
        verbs: ['get'],
      }));
    if (resources.length > 0)
      return [200, { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources }];
    const name = new RegExp(`^/api/v1/namespaces/${namespace}/secrets/([a-z0-9-]+)$`).exec(path)?.[1] ?? '';
    const values = secrets.get(name);
    if (values === undefined)
      return [
        404,
        {
          kind: 'Status',
          apiVersion: 'v1',
          status: 'Failure',
          reason: 'NotFound',
          message: `${path} not found`,
          code: 404,
        },
      ];
    const data = Object.fromEntries(
      Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
    );
    // Labels and annotations of the release; without them helm would not treat the Secret as its own.
    const metadata = {
      name,
      namespace,
      labels: { 'app.kubernetes.io/managed-by': 'Helm' },
      annotations: { 'meta.helm.sh/release-name': 'ae', 'meta.helm.sh/release-namespace': namespace },
    };
    return [200, { kind: 'Secret', apiVersion: 'v1', metadata, data }];
  };
  const server = createServer((request, response) => {
    const [status, body] = answer(new URL(request.url ?? '/', 'http://cluster').pathname);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const port = await listenHere(server);
  const folder = await mkdtemp(join(tmpdir(), 'cluster-'));
  const kubeconfig = join(folder, 'config');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: [{ name: 'test', cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: 'test', user: {} }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
  };
  await writeFile(kubeconfig, JSON.stringify(config));
  return {
    kubeconfig,
    secrets,
    close: async () => {
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
      await rm(folder, { recursive: true, force: true });
    },
  };
};
