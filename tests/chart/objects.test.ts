import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { chart, helm, render, type KubernetesObject, type Values } from './helm.ts';
import { embedded, external, installations } from './installations.ts';
import { problemsOf } from './kubernetes/validate.ts';
import { find, podsOf, selects } from './pods.ts';

const rendered = new Map<string, KubernetesObject[]>();
const objectsOf = (name: string): KubernetesObject[] => rendered.get(name) ?? [];
const running = (object: KubernetesObject): boolean => ['Deployment', 'StatefulSet'].includes(object.kind);
const OURS = /^(?:facade|desk|core|worker|migrate|test)$/;

beforeAll(async () => {
  await Promise.all(
    Object.entries(installations).map(async ([name, values]) => rendered.set(name, await render(values))),
  );
});

// All installations are rendered and validated; the lint adds rules about the chart itself.
test('installations with and without embedded services pass helm lint --strict', async () => {
  const answers = await Promise.all(
    [external, embedded].map((values) =>
      helm(['lint', '--strict', '--values', '-', chart], JSON.stringify(values)),
    ),
  );
  for (const { code, stdout } of answers) {
    expect(stdout).toContain('0 chart(s) failed');
    expect(code).toBe(0);
  }
});

test('the store of the chart and of docker-compose.yaml accepts the page of the desk', async () => {
  const store = podsOf(objectsOf('the desk with a route, beside embedded services')).find(({ owner }) =>
    owner.metadata.name.endsWith('-s3'),
  );
  expect(store?.spec.containers[0]).toMatchObject({
    env: expect.arrayContaining([{ name: 'VGW_CORS_ALLOW_ORIGIN', value: 'https://desk.example.org' }]),
  });
  const text = await readFile(join(import.meta.dirname, '../../docker-compose.yaml'), 'utf8');
  const { services } = parse(text, { merge: true }) as {
    services: Record<string, { environment: Record<string, string> }>;
  };
  expect(services['s3']?.environment['VGW_CORS_ALLOW_ORIGIN']).toBe(
    services['desk']?.environment['DESK_URL'],
  );
});

test('the schemas detect an unknown field, a wrong type and an unknown kind', async () => {
  const core = find(await render(external), 'Deployment', 'ae-answer-evaluation-core');
  const spec = core['spec'] as Record<string, unknown>;
  expect(problemsOf(core)).toEqual([]);
  expect(problemsOf({ ...core, spec: { ...spec, replica: 1 } }).join()).toContain('"replica"');
  expect(problemsOf({ ...core, spec: { ...spec, replicas: '2' } }).join()).toContain('/spec/replicas');
  expect(problemsOf({ ...core, apiVersion: 'apps/v1beta1' }).join()).toContain('none of the kinds');
});

describe('settings added to all pods', () => {
  const pod = (end: string) => {
    const all = podsOf(objectsOf('everything that can be added to pods'));
    const found = all.find(({ owner }) => owner.metadata.name.endsWith(end));
    if (found === undefined) throw new Error(`no pod ${end}`);
    return found;
  };

  test('reach the container that waits for the schema, which may need them to reach the database', () => {
    const { initContainers, containers } = pod('-core').spec;
    const added = {
      env: expect.arrayContaining([{ name: 'HTTPS_PROXY', value: 'http://proxy:3128' }]),
      envFrom: [{ configMapRef: { name: 'proxies' } }],
      volumeMounts: expect.arrayContaining([{ name: 'more', mountPath: '/more' }]),
    };
    expect(initContainers).toMatchObject([added]);
    expect(containers).toMatchObject([added]);
  });

  test('apply to the pod of `helm test`, which no node would accept otherwise', () => {
    const placed = ({ spec }: { spec: object }): unknown[] =>
      ['nodeSelector', 'tolerations', 'affinity', 'priorityClassName'].map((name) => Reflect.get(spec, name));
    const tested = pod('-test');
    expect(placed(tested)).toEqual(placed(pod('-core')));
    expect(placed(tested)).not.toContain(undefined);
    expect(tested.labels).toMatchObject({ team: 'exams', on: 'yes' });
    expect(tested.owner.metadata.annotations).toMatchObject({
      'helm.sh/hook': 'test',
      'example.org/note': 'true',
    });
  });
});

describe('what a platform team sets', () => {
  const objects = (): KubernetesObject[] => objectsOf('what a platform team sets');
  const deployment = (end: string) =>
    find(objects(), 'Deployment', `ae-answer-evaluation-${end}`)['spec'] as {
      minReadySeconds?: number;
      progressDeadlineSeconds?: number;
      template: { spec: { containers: { name: string }[]; initContainers?: { name: string }[] } };
    };
  const names = (containers: { name: string }[] = []): string[] => containers.map(({ name }) => name);

  test('reaches the pods: containers of all pods and of one part, ready time, deadline', () => {
    const core = deployment('core');
    expect(names(core.template.spec.containers)).toEqual(['core', 'proxy', 'second']);
    expect(names(core.template.spec.initContainers)).toEqual(['before', 'wait-for-schema']);
    expect(core.progressDeadlineSeconds).toBe(900);
    expect(names(deployment('facade').template.spec.containers)).toEqual(['facade', 'proxy']);
    expect(deployment('facade').minReadySeconds).toBe(10);
    expect(deployment('worker-copy').minReadySeconds).toBe(5);
  });

  test('an account has the annotations of all accounts and its own; objects of the operator are rendered', () => {
    const annotationsOf = (part: string) =>
      find(objects(), 'ServiceAccount', `ae-answer-evaluation-${part}`).metadata.annotations;
    expect(annotationsOf('core')).toEqual({
      'example.org/all': 'yes',
      'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/core',
    });
    expect(annotationsOf('facade')).toEqual({ 'example.org/all': 'yes' });
    expect(find(objects(), 'ConfigMap', 'ae-more')['data']).toEqual({ a: 'b' });
  });

  test('with the identity of the pod core has no keys of the object store', () => {
    const core = podsOf(objects()).find(({ owner }) => owner.metadata.name.endsWith('-core'));
    const env = core?.spec.containers[0]?.env ?? [];
    expect(env).toContainEqual({ name: 'S3_POD_IDENTITY', value: 'true' });
    expect(env.filter(({ name }) => /S3_(?:ACCESS|SECRET)/.test(name))).toEqual([]);
  });

  test('user ids that are null are left to the cluster', async () => {
    const open = await render({
      ...external,
      allPods: { podSecurityContext: { runAsUser: null, runAsGroup: null, fsGroup: null } },
    });
    for (const { spec } of podsOf(open))
      expect(spec.securityContext).toEqual({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
  });
});

test('core may take as long as a migration only where its pods wait for one', async () => {
  const deadline = async (values: object): Promise<unknown> =>
    (
      find(await render({ ...external, ...values }), 'Deployment', 'ae-answer-evaluation-core')[
        'spec'
      ] as Record<string, unknown>
    )['progressDeadlineSeconds'];
  expect(await deadline({})).toBe(600);
  expect(await deadline({ migrations: { mode: 'job' } })).toBe(7800);
  expect(await deadline({ migrations: { mode: 'none' } })).toBe(7800);
});

test('the values of the example for production render, with objects of the right shape', async () => {
  const values = parse(await readFile(join(chart, 'values-production.yaml'), 'utf8')) as Values;
  const others = ['ExternalSecret', 'Certificate'];
  const objects = await render(values);
  expect(objects.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining([...others, 'HTTPRoute', 'ScaledObject']),
  );
  expect(objects.filter(({ kind }) => !others.includes(kind)).flatMap(problemsOf)).toEqual([]);
});

test('a route of a Gateway passes the API only', async () => {
  const route = find(
    await render(installations['a route of a Gateway'] ?? {}),
    'HTTPRoute',
    'ae-answer-evaluation',
  );
  expect(route['spec']).toEqual({
    parentRefs: [{ name: 'public', namespace: 'gateways', sectionName: 'https' }],
    hostnames: ['api.example.org', '*.exams.example.org'],
    rules: [
      {
        matches: [{ path: { type: 'PathPrefix', value: '/v1' } }],
        backendRefs: [{ name: 'ae-answer-evaluation-facade', port: 80 }],
      },
    ],
  });
});

describe.each(Object.keys(installations))('%s:', (name) => {
  test('every object matches the schema of its kind, without unknown fields', () => {
    expect(objectsOf(name).length).toBeGreaterThan(8);
    expect(objectsOf(name).flatMap(problemsOf)).toEqual([]);
  });

  test('no two objects have the same name, and names are not too long', () => {
    const names = objectsOf(name).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(names).toEqual([...new Set(names)]);
    for (const { metadata } of objectsOf(name)) expect(metadata.name).toMatch(/^[a-z][a-z0-9-]{0,51}$/);
  });

  test('pods are restricted: no root, no privileges, only temporary files writable, no service account token', () => {
    const pods = podsOf(objectsOf(name));
    expect(pods.length).toBeGreaterThanOrEqual(5);
    for (const { owner, spec } of pods) {
      const where = `${owner.kind} ${owner.metadata.name}`;
      expect(spec.securityContext, where).toMatchObject({
        runAsNonRoot: true,
        runAsUser: expect.toSatisfy((uid: number) => uid > 0),
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(spec.automountServiceAccountToken, where).toBe(false);
      expect(spec.serviceAccountName, where).not.toBe('default');
      expect(spec.serviceAccountName, where).toEqual(expect.any(String));
      expect(spec.enableServiceLinks, where).toBe(false);
      for (const container of [...(spec.initContainers ?? []), ...spec.containers])
        expect(container.securityContext, where).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          runAsNonRoot: true,
          capabilities: { drop: ['ALL'] },
        });
      for (const volume of spec.volumes ?? [])
        if (volume.emptyDir !== undefined && volume.name !== 'more')
          expect(volume.emptyDir.sizeLimit, where).toBeDefined();
    }
    for (const account of objectsOf(name).filter(({ kind }) => kind === 'ServiceAccount'))
      expect(account['automountServiceAccountToken']).toBe(false);
  });

  test('each container has requests and limits, and an image with a version', () => {
    for (const { owner, spec } of podsOf(objectsOf(name)))
      for (const container of [...(spec.initContainers ?? []), ...spec.containers]) {
        const where = `${owner.kind} ${owner.metadata.name} ${container.name}`;
        for (const bound of [container.resources?.requests, container.resources?.limits])
          expect(bound, where).toMatchObject({ cpu: expect.anything(), memory: expect.anything() });
        expect(container.image, where).toMatch(/:[^/:]*\d[^/:]*$|@sha256:[0-9a-f]{64}$/);
        expect(container.image, where).not.toMatch(/:latest$/);
        const mine = OURS.test(String(owner.metadata.labels?.['app.kubernetes.io/component']));
        if (!mine) expect(container.image).toMatch(/^(?:docker\.io\/library|ghcr\.io\/versity)\//);
      }
  });

  test('servers have probes, and liveness asks the process alone; programs that end have none', () => {
    for (const { owner, spec } of podsOf(objectsOf(name))) {
      const [container] = spec.containers;
      const where = `${owner.kind} ${owner.metadata.name}`;
      if (!running(owner)) {
        expect(container, where).not.toHaveProperty('livenessProbe');
        expect(container, where).not.toHaveProperty('startupProbe');
        expect(container, where).not.toHaveProperty('readinessProbe');
        continue;
      }
      for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
        expect(container, where).toHaveProperty(probe);
      if (owner.kind !== 'Deployment') continue;
      expect(container?.livenessProbe?.httpGet).toEqual({ path: '/healthz', port: 'metrics' });
      const path = owner.metadata.name.endsWith('-facade') ? '/acceptz' : '/readyz';
      expect(container?.readinessProbe?.httpGet).toEqual({ path, port: 'metrics' });
      expect(container?.ports).toContainEqual({ name: 'metrics', containerPort: 9090 });
    }
  });

  test('the termination grace period of a pod is longer than its drain', () => {
    for (const { owner, spec } of podsOf(objectsOf(name)).filter((pod) => pod.owner.kind === 'Deployment')) {
      const [container] = spec.containers;
      const seconds = (variable: string): string | undefined =>
        container?.env?.find((one) => one.name === variable)?.value;
      const drain = Number(seconds('DRAIN_SECONDS') ?? 30);
      const linger = Number(seconds('LINGER_SECONDS') ?? 0);
      const sleep = container?.lifecycle?.preStop?.sleep?.seconds ?? 0;
      expect(spec.terminationGracePeriodSeconds, owner.metadata.name).toBeGreaterThanOrEqual(
        drain + linger + sleep,
      );
    }
  });

  test('no variable is set twice, and no pod contains a secret in plain text', () => {
    for (const { owner, spec } of podsOf(objectsOf(name)))
      for (const container of [...(spec.initContainers ?? []), ...spec.containers]) {
        const names = (container.env ?? []).map((one) => one.name);
        expect(names, owner.metadata.name).toEqual([...new Set(names)]);
        for (const one of container.env ?? [])
          if (/TOKEN|_KEY$|_KEY_ID$|PASSWORD|DATABASE_URL|NATS_URL/.test(one.name))
            expect(one.valueFrom?.secretKeyRef?.name, `${owner.metadata.name} ${one.name}`).toBeDefined();
      }
  });

  test('each Service, budget and scaler selects existing pods', () => {
    const objects = objectsOf(name);
    const pods = podsOf(objects);
    for (const { kind, metadata, ...object } of objects) {
      const spec = object['spec'] as {
        selector?: { matchLabels?: Record<string, string> };
        scaleTargetRef?: { name: string };
      };
      if (kind === 'Service')
        expect(pods.some(({ labels }) => selects(spec.selector as Record<string, string>, labels))).toBe(
          true,
        );
      if (kind === 'PodDisruptionBudget')
        expect(
          pods.filter(({ labels }) => selects(spec.selector?.matchLabels ?? {}, labels)),
          metadata.name,
        ).toHaveLength(1);
      if (kind === 'HorizontalPodAutoscaler' || kind === 'ScaledObject')
        expect(find(objects, 'Deployment', spec.scaleTargetRef?.name ?? '')['spec']).not.toHaveProperty(
          'replicas',
        );
    }
  });

  test('no pods have two scalers', () => {
    const targets = objectsOf(name)
      .filter(({ kind }) => kind === 'ScaledObject' || kind === 'HorizontalPodAutoscaler')
      .map(({ spec }) => (spec as { scaleTargetRef: { name: string } }).scaleTargetRef.name);
    expect(targets).toEqual([...new Set(targets)]);
  });

  test('a Secret that a pod refers to is made by the chart with that key, or by the operator', () => {
    const objects = objectsOf(name);
    for (const { owner, spec } of podsOf(objects))
      for (const container of [...(spec.initContainers ?? []), ...spec.containers])
        for (const { valueFrom } of container.env ?? []) {
          const ref = valueFrom?.secretKeyRef;
          if (ref === undefined || ref.name.startsWith('own-')) continue;
          const secret = find(objects, 'Secret', ref.name);
          expect(secret['stringData'], owner.metadata.name).toHaveProperty([ref.key]);
        }
  });
});
