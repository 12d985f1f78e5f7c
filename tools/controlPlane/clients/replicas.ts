import { setTimeout as wait } from 'node:timers/promises';
import type { KubeApi, Named } from '../servers/kubeApi.ts';

/** Watches how many replicas the Deployments want and have, during each phase. */
export interface ReplicaWatch {
  newPhase(): void;
  /** Lowest numbers of replicas in the present phase, by Deployment. */
  lowest(): ReadonlyMap<string, Lowest>;
  stop(): Promise<void>;
}

/** `wanted` and `available` are the lowest of the phase, `now` the last value of `wanted`. */
interface Lowest {
  wanted: number;
  available: number;
  now: number;
}

interface DeploymentObject extends Named {
  spec: { replicas?: number };
  status?: { availableReplicas?: number; updatedReplicas?: number };
}

const LOOK_MS = 250;

export const watchReplicas = (api: KubeApi, namespace: string): ReplicaWatch => {
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
  let lowest = new Map<string, Lowest>();
  let isOver = false;
  const look = async (): Promise<void> => {
    for (const { metadata, spec, status } of await api.list<DeploymentObject>(path)) {
      const wanted = spec.replicas ?? 1;
      const available = status?.availableReplicas ?? 0;
      const known = lowest.get(metadata.name) ?? { wanted, available, now: wanted };
      lowest.set(metadata.name, {
        wanted: Math.min(known.wanted, wanted),
        available: Math.min(known.available, available),
        now: wanted,
      });
    }
  };
  const looking = (async () => {
    while (!isOver) {
      await look().catch(() => {});
      await wait(LOOK_MS);
    }
  })();
  return {
    newPhase: () => {
      lowest = new Map();
    },
    lowest: () => lowest,
    stop: async () => {
      isOver = true;
      await looking;
    },
  };
};
