import type { PodSpec } from '../../../tests/chart/pods.ts';
import type { Named } from '../servers/kubeApi.ts';

/** Fields of Kubernetes objects that the nodes read. */

export interface PodObject extends Named {
  metadata: Named['metadata'] & {
    namespace: string;
    uid: string;
    labels?: Record<string, string>;
    deletionTimestamp?: string;
    deletionGracePeriodSeconds?: number;
  };
  spec: PodSpec;
  status?: {
    phase?: string;
    podIP?: string;
    conditions?: { type: string; status: string }[];
    containerStatuses?: { restartCount: number }[];
  };
}

export interface ServiceObject extends Named {
  spec: {
    clusterIP?: string;
    ports?: { name?: string; port: number }[];
  };
}

export interface EndpointSliceObject extends Named {
  metadata: Named['metadata'] & { labels?: Record<string, string> };
  ports?: { name?: string; port: number }[] | null;
  endpoints?: { addresses: string[]; conditions?: { ready?: boolean } }[] | null;
}

export interface SecretObject extends Named {
  data?: Record<string, string>;
}

export const pathOfPod = ({ metadata }: PodObject): string =>
  `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`;
