import type { KubeApi, Named } from './servers/kubeApi.ts';

interface Resources {
  groupVersion: string;
  resources: { name: string; kind: string; namespaced: boolean; verbs: string[] }[];
}
interface Groups {
  groups: { preferredVersion: { groupVersion: string } }[];
}

/** Made by the cluster itself in each namespace, or gone by themselves. */
const OF_THE_CLUSTER = new Set(['ServiceAccount default', 'ConfigMap kube-root-ca.crt']);
const PASSING = new Set(['Event', 'Lease', 'EndpointSlice', 'Endpoints']);

/** @returns `Kind name` of each object in the namespace, of every kind that the cluster knows */
export const objectsIn = async (api: KubeApi, namespace: string): Promise<string[]> => {
  const groups = await api.find<Groups>('/apis');
  const folders = [
    '/api/v1',
    ...(groups?.groups ?? []).map((one) => `/apis/${one.preferredVersion.groupVersion}`),
  ];
  const found: string[] = [];
  for (const folder of folders) {
    // A group without kinds that are stored, such as external metrics, may be away.
    const known = await api.find<Resources>(folder).catch(() => null);
    for (const { name, kind, namespaced, verbs } of known?.resources ?? []) {
      if (!namespaced || name.includes('/') || !verbs.includes('list') || PASSING.has(kind)) continue;
      for (const { metadata } of await api.list<Named>(`${folder}/namespaces/${namespace}/${name}`))
        found.push(`${kind} ${metadata.name}`);
    }
  }
  return found.filter((one) => !OF_THE_CLUSTER.has(one)).toSorted();
};
