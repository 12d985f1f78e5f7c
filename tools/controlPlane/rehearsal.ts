import { setTimeout as wait } from 'node:timers/promises';
import { createExam, apiClient } from '../../tests/harness/api.ts';
import { longAnswer, typedExam } from '../../tests/harness/papers.ts';
import { unfinishedWork, violationsIn } from '../../tests/model/submissions/invariants.ts';
import { startLoad, type Load } from './clients/load.ts';
import { watchReplicas, type ReplicaWatch } from './clients/replicas.ts';
import { gradeCopy, provision } from './gradedCopy.ts';
import { objectsIn } from './leftovers.ts';
import type { PodObject } from './nodes/objects.ts';
import { install, NAME, NAMESPACE, RELEASE, rollBack, runHelm, upgrade } from './release.ts';
import type { Binaries } from './servers/binaries.ts';
import { setStage, waitFor, type Stage } from './stage.ts';

/*
 * The life of a release on a real control plane: install, test, grade, scale, lose the metrics, upgrade, roll back, a
 * broken upgrade, lose PostgreSQL, lose a core, drain a node, uninstall. From the first grade on, clients submit and
 * poll.
 */

const METRICS_AWAY_MS = 90_000;
const POSTGRES_AWAY_MS = 15_000;
const STEADY_MS = 5_000;
const SLOW_MODEL_MS = 1_500;
const SETTLE_MS = 240_000;
const PODS = `/api/v1/namespaces/${NAMESPACE}/pods`;

interface Scene extends Stage {
  load: Load;
  replicas: ReplicaWatch;
  wrong: string[];
  say: (line: string) => void;
}

/** @returns what went wrong */
export const rehearseCluster = async (binaries: Binaries, say: (line: string) => void): Promise<string[]> => {
  const wrong: string[] = [];
  const stage = await setStage(binaries, say);
  try {
    const before = await objectsIn(stage.api, NAMESPACE);
    await install(stage.kubeconfig, stage.values);
    say('installed');
    await runHelm(['test', RELEASE], stage.kubeconfig);
    say('helm test succeeds');
    const institute = await provision(stage.podsOf('core')[0]);
    wrong.push(...(await gradeCopy(stage, institute.apiKey)));
    say('a copy is graded');

    const client = apiClient(`${stage.url()}/v1`, institute.apiKey);
    const exam = await createExam(client, typedExam([longAnswer('T1')]));
    const load = startLoad({ url: stage.url(), apiKey: institute.apiKey, examId: exam.id });
    const replicas = watchReplicas(stage.api, NAMESPACE);
    const scene: Scene = { ...stage, load, replicas, wrong, say };
    try {
      for (const [name, play] of Object.entries(SCENES)) {
        load.phase(name);
        replicas.newPhase();
        const began = performance.now();
        await wait(STEADY_MS);
        await play(scene);
        await wait(STEADY_MS);
        say(`${name}: ${Math.round((performance.now() - began) / 1000)} s, ${answersOf(load, name)}`);
      }
    } finally {
      await load.stop();
      await replicas.stop();
    }
    await settle(scene, institute.id);
    wrong.push(...load.violations);
    await uninstall(scene, before);
    return wrong;
  } catch (error) {
    for (const { pod, log } of stage.nodes.pods.values()) say(`${pod.metadata.name}: ${log().slice(-500)}`);
    throw error;
  } finally {
    await stage.close();
  }
};

const answersOf = (load: Load, phase: string): string =>
  [...(load.answers.get(phase) ?? [])].map(([status, count]) => `${count} x ${status}`).join(', ');

/** Whether KEDA reports that it uses the fallback of the chart. */
const isFallingBack = async ({ api }: Stage): Promise<boolean> => {
  const path = `/apis/keda.sh/v1alpha1/namespaces/${NAMESPACE}/scaledobjects/${NAME}-worker-typed`;
  const object = await api.find<{ status?: { conditions?: { type: string; status: string }[] } }>(path);
  return (object?.status?.conditions ?? []).some(
    ({ type, status }) => type === 'Fallback' && status === 'True',
  );
};

/** The release must keep `count` available pods of each named part. */
const expectAvailable = (
  { replicas, wrong }: Scene,
  phase: string,
  parts: readonly string[],
  count = 2,
): void => {
  for (const part of parts) {
    const { available } = replicas.lowest().get(`${NAME}-${part}`) ?? { available: -1 };
    if (available < count) wrong.push(`${phase}: ${part} fell to ${available} available pods`);
  }
};
const expectWanted = ({ replicas, wrong }: Scene, phase: string, part: string, count: number): void => {
  const { wanted } = replicas.lowest().get(`${NAME}-${part}`) ?? { wanted: -1 };
  if (wanted < count) wrong.push(`${phase}: ${part} was scaled from ${count} down to ${wanted}`);
};
const wantedOf = ({ replicas }: Scene, part: string): number =>
  replicas.lowest().get(`${NAME}-${part}`)?.now ?? 0;

const podObjects = async ({ api }: Stage, component: string): Promise<PodObject[]> =>
  api.list<PodObject>(`${PODS}?labelSelector=app.kubernetes.io/component%3D${component}`);
const isReady = ({ status, metadata }: PodObject): boolean =>
  metadata.deletionTimestamp === undefined &&
  (status?.conditions ?? []).some(({ type, status: value }) => type === 'Ready' && value === 'True');
const restartsOf = (pods: readonly PodObject[]): number =>
  pods.reduce((sum, { status }) => sum + (status?.containerStatuses?.[0]?.restartCount ?? 0), 0);

/** Pods of the part run the image with this tag, and all are ready. */
const expectTag = async (scene: Scene, phase: string, tag: string): Promise<void> => {
  for (const part of ['facade', 'core', 'worker']) {
    const pods = (await podObjects(scene, part)).filter(
      ({ metadata }) => metadata.deletionTimestamp === undefined,
    );
    for (const { metadata, spec } of pods) {
      const [container] = spec.containers;
      if (container?.image.endsWith(`:${tag}`) !== true)
        scene.wrong.push(`${phase}: ${metadata.name} runs ${container?.image}`);
    }
  }
};

const SCENES: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  steady: async () => {},

  'scale up': async (scene) => {
    scene.servers.model.behave([{ behaviour: { kind: 'slow', ms: SLOW_MODEL_MS } }]);
    await waitFor('three workers of typed answers', () => wantedOf(scene, 'worker-typed') === 3);
    await waitFor(
      'three ready workers',
      async () => (await podObjects(scene, 'worker')).filter(isReady).length >= 4,
    );
  },

  'metrics away': async (scene) => {
    const before = wantedOf(scene, 'worker-typed');
    scene.metrics.drop();
    await wait(METRICS_AWAY_MS);
    if (scene.hasKeda && !(await isFallingBack(scene)))
      scene.wrong.push('metrics away: the ScaledObject has no fallback');
    expectWanted(scene, 'metrics away', 'worker-typed', before);
    scene.metrics.restore();
  },

  upgrade: async (scene) => {
    const before = wantedOf(scene, 'worker-typed');
    const values = { ...scene.values, image: { registry: 'registry.example.org/exams', tag: '0.1.1' } };
    await upgrade(scene.kubeconfig, values);
    await expectTag(scene, 'upgrade', '0.1.1');
    expectAvailable(scene, 'upgrade', ['facade', 'core']);
    expectWanted(scene, 'upgrade', 'worker-typed', before);
  },

  rollback: async (scene) => {
    scene.servers.model.behave([]);
    await rollBack(scene.kubeconfig, 1);
    await expectTag(scene, 'rollback', '0.1.0');
    expectAvailable(scene, 'rollback', ['facade', 'core']);
  },

  'a release that cannot start': async (scene) => {
    const values = { ...scene.values, image: { registry: 'registry.example.org/exams', tag: '0.1.2' } };
    const database = { existingSecret: 'ae-wrong', migrate: { existingSecret: 'ae-owner-database' } };
    await scene.api.create(`/api/v1/namespaces/${NAMESPACE}/secrets`, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'ae-wrong' },
      stringData: { DATABASE_URL: 'postgresql://unknown:wrong@127.0.0.1:1/evaluation' },
    });
    const outcome = await upgrade(scene.kubeconfig, { ...values, database }, [
      '--wait',
      '--timeout',
      '30s',
    ]).then(
      () => 'succeeded',
      () => 'failed',
    );
    if (outcome !== 'failed') scene.wrong.push('an upgrade to a core without a database succeeded');
    expectAvailable(scene, 'a release that cannot start', ['facade', 'core']);
    await rollBack(scene.kubeconfig, 1);
    await expectTag(scene, 'a release that cannot start', '0.1.0');
    await scene.api.remove(`/api/v1/namespaces/${NAMESPACE}/secrets/ae-wrong`);
  },

  'PostgreSQL away': async (scene) => {
    const restarts = async (): Promise<number> =>
      restartsOf([...(await podObjects(scene, 'facade')), ...(await podObjects(scene, 'core'))]);
    const before = await restarts();
    scene.servers.links.postgres.drop();
    await wait(POSTGRES_AWAY_MS);
    const facades = scene.services.endpoints(`${NAME}-facade`).length;
    scene.servers.links.postgres.restore();
    if (facades !== 2) scene.wrong.push(`PostgreSQL away: ${facades} facades were in their Service`);
    await waitFor(
      'two ready cores',
      async () => (await podObjects(scene, 'core')).filter(isReady).length === 2,
    );
    const after = await restarts();
    if (after !== before) scene.wrong.push(`PostgreSQL away: ${after - before} pods restarted`);
    expectAvailable(scene, 'PostgreSQL away', ['facade']);
  },

  'a core is killed': async (scene) => {
    scene.podsOf('core')[0]?.kill();
    await waitFor('a restart', async () => restartsOf(await podObjects(scene, 'core')) > 0);
    await waitFor(
      'two ready cores',
      async () => (await podObjects(scene, 'core')).filter(isReady).length === 2,
    );
    expectAvailable(scene, 'a core is killed', ['facade']);
    expectAvailable(scene, 'a core is killed', ['core'], 1);
  },

  'a node is drained': async (scene) => {
    await scene.api.patch('/api/v1/nodes/node-1', { spec: { unschedulable: true } });
    const onNode = async (): Promise<PodObject[]> =>
      (await scene.api.list<PodObject>(PODS)).filter(({ spec }) => spec.nodeName === 'node-1');
    await waitFor('an empty node', async () => {
      const pods = await onNode();
      for (const { metadata } of pods.filter((pod) => pod.metadata.deletionTimestamp === undefined)) {
        // A disruption budget refuses with 429 until other pods are ready.
        await scene.api
          .create(`${PODS}/${metadata.name}/eviction`, {
            apiVersion: 'policy/v1',
            kind: 'Eviction',
            metadata: { name: metadata.name, namespace: NAMESPACE },
          })
          .catch(() => {});
      }
      return pods.length === 0;
    });
    await waitFor('two ready pods each', async () => {
      const ready = await Promise.all(['facade', 'core'].map((part) => podObjects(scene, part)));
      return ready.every((pods) => pods.filter(isReady).length === 2);
    });
    expectAvailable(scene, 'a node is drained', ['facade', 'core'], 1);
    await scene.api.patch('/api/v1/nodes/node-1', { spec: { unschedulable: null } });
  },
};

/** Checks that each accepted submission was graded once, and that no invariant of the tables is violated. */
const settle = async ({ servers, load, wrong, say }: Scene, instituteId: string): Promise<void> => {
  await waitFor(
    'the end of all work',
    async () => (await unfinishedWork(servers.observer, instituteId)).length === 0,
    SETTLE_MS,
  );
  const [row] = await servers.observer.query<{ graded: number; runs: number }>(
    `select (count(*) filter (where s.status = 'graded'))::int as graded,
       (select count(*) from runs where status = 'completed' and submission_id = any ($1::uuid[]))::int as runs
     from submissions s where s.id = any ($1::uuid[])`,
    [[...load.accepted]],
  );
  const { size } = load.accepted;
  say(`${size} submissions accepted, ${row?.graded} graded, ${row?.runs} runs`);
  if (row?.graded !== size || row?.runs !== size) wrong.push('not every accepted submission was graded once');
  wrong.push(...(await violationsIn(servers.observer, instituteId)));
};

/** After `helm uninstall`, and after the commands of docs/kubernetes.md#uninstall. */
const uninstall = async (
  { api, kubeconfig, wrong, say }: Scene,
  before: readonly string[],
): Promise<void> => {
  await runHelm(['uninstall', RELEASE, '--wait', '--timeout', '3m'], kubeconfig);
  const added = async (): Promise<string[]> =>
    (await objectsIn(api, NAMESPACE)).filter((one) => !before.includes(one));
  await waitFor('the end of all pods', async () => !(await added()).some((one) => one.startsWith('Pod ')));
  const kept = await added();
  say(`helm uninstall keeps: ${kept.join(', ')}`);
  const documented = [
    `NetworkPolicy ${NAME}-migrate-hook`,
    `Secret ${NAME}-tokens`,
    `ServiceAccount ${NAME}-migrate-hook`,
  ];
  if (kept.join() !== documented.join()) wrong.push(`helm uninstall keeps ${kept.join(', ')}`);
  const own = `labelSelector=${encodeURIComponent(
    `app.kubernetes.io/instance=${RELEASE},app.kubernetes.io/component=migrate`,
  )}`;
  const core = `/api/v1/namespaces/${NAMESPACE}`;
  for (const path of [
    `/apis/batch/v1/namespaces/${NAMESPACE}/jobs?${own}`,
    `${core}/secrets?${own}`,
    `${core}/serviceaccounts?${own}`,
    `/apis/networking.k8s.io/v1/namespaces/${NAMESPACE}/networkpolicies?${own}`,
    `${core}/secrets/${NAME}-tokens`,
  ])
    await api.remove(path);
  const left = await added();
  if (left.length > 0) wrong.push(`the documented commands leave ${left.join(', ')}`);
};
