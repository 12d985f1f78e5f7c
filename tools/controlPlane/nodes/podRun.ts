import { setTimeout as wait } from 'node:timers/promises';
import type { ImageName } from '@evaluation/bundle';
import type { Container as Process, Images } from '../../../tests/images/container.ts';
import type { Container } from '../../../tests/chart/pods.ts';
import type { KubeApi } from '../servers/kubeApi.ts';
import { onThisMachine, translated, type Names } from './addresses.ts';
import { pathOfPod, type PodObject, type SecretObject } from './objects.ts';
import { newContainerState, statusOf, type ContainerState, type PodState } from './podStatus.ts';
import { startProbes } from './probes.ts';

/*
 * One pod on a node, as the kubelet runs it: init containers in order, then the container, restarts with a growing
 * pause, probes, and an end by preStop, SIGTERM and, after the grace period, SIGKILL. The process of a container is
 * the program of the image of the same name.
 *
 * `remove` is the only way to the end of a pod that restarts. A pod that does not restart keeps its last state until
 * `remove`.
 */
export interface PodRun {
  pod: PodObject;
  address: string;
  /** Log of the present container and of those before. */
  log(): string;
  /** SIGKILL to the running container, as the kernel does when memory is short. */
  kill(): void;
  /** Runs `node` in the container's image with its variables, as `kubectl exec` does. */
  exec(args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }>;
  /** Stops the containers of a deleted pod. Resolves when they have ended. */
  remove(graceSeconds: number): Promise<void>;
}

interface Surroundings {
  api: KubeApi;
  images: Images;
  names: () => Names;
  /** A new folder for the pod's `/tmp`. */
  newFolder: (pod: string) => Promise<string>;
  say: (line: string) => void;
}

const FIRST_PAUSE_MS = 1_000;
const LAST_PAUSE_MS = 30_000;
/** Variables of the Dockerfile that name the container's own address. */
const IMAGE_ENVIRONMENT: Partial<Record<ImageName, (own: string) => Record<string, string>>> = {
  core: (own) => ({ CORE_URL: `http://${own}:8081` }),
};

export const runPod = (pod: PodObject, address: string, hostIP: string, around: Surroundings): PodRun => {
  const { api, images, say } = around;
  const { name, namespace } = pod.metadata;
  const { spec } = pod;
  const removing = new AbortController();
  const folder = around.newFolder(name);
  let log = '';
  let running: { process: Process; spec: Container } | null = null;

  const state: PodState = {
    phase: 'Pending',
    address,
    startTime: new Date().toISOString(),
    isInitialized: (spec.initContainers ?? []).length === 0,
    isReady: false,
    containers: new Map(),
  };
  /** Reports follow each other, so that the last one is the newest. */
  let reporting: Promise<unknown> = Promise.resolve();
  const report = (): void => {
    const status = statusOf(pod, state, hostIP);
    reporting = reporting
      .then(() => api.patch(`${pathOfPod(pod)}/status`, { status }))
      .catch((error: unknown) => say(`status of ${name}: ${String(error)}`));
  };

  const environmentOf = async ({ image, env = [] }: Container): Promise<Record<string, string>> => {
    const environment: Record<string, string> = {
      ...IMAGE_ENVIRONMENT[imageName(image)]?.(onThisMachine(address)),
      NODE_ENV: 'production',
      TMPDIR: await folder,
    };
    for (const { name: variable, value, valueFrom } of env) {
      const { name: secretName = '', key = '' } = valueFrom?.secretKeyRef ?? {};
      const text = valueFrom === undefined ? (value ?? '') : await readSecret(secretName, key);
      environment[variable] = translated(text, address, around.names());
    }
    return environment;
  };
  const readSecret = async (secretName: string, key: string): Promise<string> => {
    const secret = await api.find<SecretObject>(`/api/v1/namespaces/${namespace}/secrets/${secretName}`);
    const value = secret?.data?.[key];
    if (value === undefined) throw new Error(`the Secret ${secretName} has no key ${key}`);
    return Buffer.from(value, 'base64').toString();
  };

  /** Runs the container's process once. @returns its exit code */
  const runOnce = async (container: Container, own: ContainerState): Promise<number> => {
    const environment = await environmentOf(container);
    if (removing.signal.aborted) return 0;
    // The entry point of the images is `node main.js`; an option of the worker's is left out.
    const [, ...command] = container.command ?? ['node', 'main.js'];
    const args = [...command, ...(container.args ?? [])];
    const process = images.runNode(imageName(container.image), args, environment);
    running = { process, spec: container };
    own.startedAt = new Date().toISOString();
    own.exitCode = null;
    own.isStarted = container.startupProbe === undefined;
    if (own.isStarted && container.readinessProbe === undefined) state.isReady = isMain(container);
    report();
    const hasProbes = container.readinessProbe !== undefined || container.livenessProbe !== undefined;
    const probing = hasProbes
      ? startProbes({
          container,
          address,
          onReady: (isReady) => {
            if (state.isReady === isReady && own.isStarted) return;
            own.isStarted = true;
            state.isReady = isReady;
            if (!removing.signal.aborted) report();
          },
          onDead: (probe) => {
            say(`${name}: ${probe} probe failed`);
            process.kill();
          },
        })
      : null;
    const { code, stdout, stderr } = await process.ended;
    probing?.stop();
    running = null;
    log = (log + stdout + stderr).slice(-20_000);
    state.isReady = false;
    own.startedAt = null;
    own.isStarted = false;
    own.exitCode = code ?? 137;
    return own.exitCode;
  };
  const isMain = (container: Container): boolean => spec.containers.includes(container);

  /**
   * Runs a container until it succeeds or its pod must not restart it. @returns its last exit code; null if the pod
   * is removed
   */
  const runAgain = async (container: Container, endsWell: boolean): Promise<number | null> => {
    const own = newContainerState();
    state.containers.set(container.name, own);
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LAST_PAUSE_MS)) {
      let code: number | null = null;
      try {
        code = await runOnce(container, own);
      } catch (error) {
        own.reason = 'CreateContainerConfigError';
        say(`${name}: ${String(error)}`);
      }
      if (removing.signal.aborted) return null;
      if (code !== null && (spec.restartPolicy === 'Never' || (endsWell && code === 0))) return code;
      if (code !== null) say(`${name}: container ${container.name} ended with ${code}`);
      report();
      await wait(pauseMs, undefined, { signal: removing.signal }).catch(() => {});
      if (removing.signal.aborted) return null;
      if (code !== null) own.restarts += 1;
    }
  };

  const life = async (): Promise<void> => {
    report();
    for (const container of spec.initContainers ?? []) {
      const code = await runAgain(container, true);
      if (code === null) return;
      if (code !== 0) return end('Failed');
    }
    state.isInitialized = true;
    state.phase = 'Running';
    const [container, ...others] = spec.containers;
    if (container === undefined || others.length > 0)
      throw new Error(`${name} has not exactly one container`);
    const code = await runAgain(container, false);
    if (code !== null) end(code === 0 ? 'Succeeded' : 'Failed');
  };
  const end = (phase: 'Succeeded' | 'Failed'): void => {
    state.phase = phase;
    report();
  };
  const over = life();
  over.catch((error: unknown) => say(`${name}: ${String(error)}`));

  return {
    pod,
    address,
    log: () => log,
    kill: () => running?.process.kill(),
    exec: async (args) => {
      const [container] = spec.containers;
      if (container === undefined) throw new Error(`${name} has no container`);
      return images.runNode(imageName(container.image), args, await environmentOf(container)).ended;
    },
    remove: async (graceSeconds) => {
      removing.abort();
      const kill = setTimeout(() => {
        say(`${name}: killed after ${graceSeconds} s`);
        running?.process.kill();
      }, graceSeconds * 1000);
      const preStop = running?.spec.lifecycle?.preStop?.sleep?.seconds ?? 0;
      if (preStop > 0) await wait(preStop * 1000);
      running?.process.stop();
      await over;
      clearTimeout(kill);
      await reporting;
      const body = { gracePeriodSeconds: 0, preconditions: { uid: pod.metadata.uid } };
      await api.remove(pathOfPod(pod), body).catch((error: unknown) => say(`${name}: ${String(error)}`));
    },
  };
};

/** `registry/answer-evaluation/core:0.1.0` is the image `core`. */
const imageName = (image: string): ImageName => {
  const [, name = ''] = /\/([a-z]+)[:@][^/]*$/.exec(image) ?? [];
  if (name === 'facade' || name === 'core' || name === 'worker' || name === 'migrate' || name === 'desk')
    return name;
  throw new Error(`no image ${image}`);
};
