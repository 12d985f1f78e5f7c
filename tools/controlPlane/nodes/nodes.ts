import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Images } from '../../../tests/images/container.ts';
import type { KubeApi, Watch } from '../servers/kubeApi.ts';
import type { Names } from './addresses.ts';
import type { PodObject } from './objects.ts';
import { runPod, type PodRun } from './podRun.ts';

/** Nodes of the cluster, whose pods are processes of this machine. */
export interface Nodes {
  /** Pods that run, by name. */
  pods: ReadonlyMap<string, PodRun>;
  close(): Promise<void>;
}

interface Options {
  api: KubeApi;
  images: Images;
  names: () => Names;
  folder: string;
  count: number;
  say: (line: string) => void;
}

const LEASE_MS = 10_000;
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const CAPACITY = { cpu: '64', memory: '256Gi', 'ephemeral-storage': '500Gi', pods: '110' };

export const startNodes = async ({ api, images, names, folder, count, say }: Options): Promise<Nodes> => {
  const nodeNames = Array.from({ length: count }, (_, nth) => `node-${nth + 1}`);
  const pods = new Map<string, PodRun>();
  const removing = new Map<string, Promise<void>>();
  const closers: Watch[] = [];
  let addresses = 1;
  await mkdir(folder);

  for (const [nth, node] of nodeNames.entries()) {
    await register(api, node, hostOf(nth));
    const renew = setInterval(() => void renewLease(api, node).catch(() => {}), LEASE_MS);
    closers.push({ close: () => clearInterval(renew) });
  }
  const newFolder = async (pod: string): Promise<string> => {
    const own = join(folder, pod);
    await mkdir(own, { recursive: true });
    await chmod(own, 0o777);
    return own;
  };
  closers.push(
    api.watch<PodObject>('/api/v1/pods', (found) => {
      for (const pod of found.values()) {
        const { name, deletionTimestamp, deletionGracePeriodSeconds = 30 } = pod.metadata;
        const nth = nodeNames.indexOf(pod.spec.nodeName ?? '');
        if (nth === -1) continue;
        if (deletionTimestamp === undefined && !pods.has(name)) {
          addresses += 1;
          const address = `10.244.${addresses >> 8}.${addresses & 255}`;
          pods.set(name, runPod(pod, address, hostOf(nth), { api, images, names, newFolder, say }));
        }
        if (deletionTimestamp !== undefined && !removing.has(name)) {
          const gone = (pods.get(name)?.remove(deletionGracePeriodSeconds) ?? Promise.resolve()).finally(
            () => {
              pods.delete(name);
              removing.delete(name);
            },
          );
          removing.set(name, gone);
        }
      }
    }),
  );
  return {
    pods,
    close: async () => {
      for (const closer of closers) closer.close();
      await Promise.all(removing.values());
    },
  };
};

const hostOf = (nth: number): string => `10.0.0.${nth + 1}`;

const now = (): string => new Date().toISOString();

const register = async (api: KubeApi, name: string, address: string): Promise<void> => {
  await api.create('/api/v1/nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux' } },
  });
  await api.patch(`/api/v1/nodes/${name}/status`, {
    status: {
      capacity: CAPACITY,
      allocatable: CAPACITY,
      addresses: [{ type: 'InternalIP', address }],
      nodeInfo: { kubeletVersion: 'v1.33.0', operatingSystem: 'linux', architecture: 'amd64' },
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'KubeletReady',
          lastHeartbeatTime: now(),
          lastTransitionTime: now(),
        },
      ],
    },
  });
  await api.create(LEASES, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace: 'kube-node-lease' },
    spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: microseconds() },
  });
};

const renewLease = (api: KubeApi, name: string): Promise<void> =>
  api.patch(`${LEASES}/${name}`, { spec: { renewTime: microseconds() } });

const microseconds = (): string => now().replace('Z', '000Z');
