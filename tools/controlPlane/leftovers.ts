import type { KubeApi, Named } from './servers/kubeApi.ts';

interface Resources {
  groupVersion: string;
  resources: { name: string; kind: string; namespaced: boolean; verbs: string[] }[];
}
interface Groups {
  groups: { preferredVersion: { groupVersion: string } }[];
}

/** Objects that the cluster itself makes in each namespace. */
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
    // A group may have no server at the moment, such as external metrics; it stores no objects.
    const known = await api.find<Resources>(folder).catch(() => null);
    for (const { name, kind, namespaced, verbs } of known?.resources ?? []) {
      if (!namespaced || name.includes('/') || !verbs.includes('list') || PASSING.has(kind)) continue;
      for (const { metadata } of await api.list<Named>(`${folder}/namespaces/${namespace}/${name}`))
        found.push(`${kind} ${metadata.name}`);
    }
  }
  return found.filter((one) => !OF_THE_CLUSTER.has(one)).toSorted();
};
