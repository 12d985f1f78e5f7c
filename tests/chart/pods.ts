import type { KubernetesObject } from './helm.ts';

export interface Container {
  name: string;
  image: string;
  command?: string[];
  args?: string[];
  env?: { name: string; value?: string; valueFrom?: { secretKeyRef?: { name: string; key: string } } }[];
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
  securityContext?: Record<string, unknown>;
  ports?: { name: string; containerPort: number }[];
  volumeMounts?: { name: string; mountPath: string; readOnly?: boolean }[];
  startupProbe?: Probe;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  lifecycle?: { preStop?: { sleep?: { seconds: number } } };
}
export interface Probe {
  httpGet?: { path: string; port: string | number };
  periodSeconds?: number;
  timeoutSeconds?: number;
  failureThreshold?: number;
}
export interface PodSpec {
  serviceAccountName?: string;
  automountServiceAccountToken?: boolean;
  enableServiceLinks?: boolean;
  terminationGracePeriodSeconds?: number;
  restartPolicy?: 'Always' | 'OnFailure' | 'Never';
  nodeName?: string;
  securityContext?: Record<string, unknown>;
  initContainers?: Container[];
  containers: Container[];
  volumes?: { name: string; emptyDir?: { sizeLimit?: string } }[];
  topologySpreadConstraints?: unknown[];
}
export interface Pod {
  owner: KubernetesObject;
  labels: Record<string, string>;
  spec: PodSpec;
}
interface Template {
  metadata?: { labels?: Record<string, string> };
  spec: PodSpec;
}

export const podsOf = (objects: readonly KubernetesObject[]): Pod[] =>
  objects.flatMap((object) => {
    if (object.kind === 'Pod')
      return [{ owner: object, labels: object.metadata.labels ?? {}, spec: object['spec'] as PodSpec }];
    if (!['Deployment', 'StatefulSet', 'Job'].includes(object.kind)) return [];
    const { template } = object['spec'] as { template: Template };
    return [{ owner: object, labels: template.metadata?.labels ?? {}, spec: template.spec }];
  });

export const find = (
  objects: readonly KubernetesObject[],
  kind: string,
  name: string | RegExp,
): KubernetesObject => {
  const one = objects.find(
    (object) =>
      object.kind === kind &&
      (typeof name === 'string' ? object.metadata.name === name : name.test(object.metadata.name)),
  );
  if (one === undefined)
    throw new Error(`no ${kind} ${name}: ${objects.map((o) => `${o.kind} ${o.metadata.name}`).join(', ')}`);
  return one;
};

export const selects = (selector: Record<string, string>, labels: Record<string, string>): boolean =>
  Object.entries(selector).every(([key, value]) => labels[key] === value);
