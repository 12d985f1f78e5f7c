import type { Container } from '../../../tests/chart/pods.ts';
import type { PodObject } from './objects.ts';

/** What a node knows of a pod, from which its status is made. */
export interface PodState {
  phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed';
  address: string;
  startTime: string;
  isInitialized: boolean;
  isReady: boolean;
  containers: Map<string, ContainerState>;
}

export interface ContainerState {
  restarts: number;
  isStarted: boolean;
  startedAt: string | null;
  /** Exit code of the last process, if none runs. */
  exitCode: number | null;
  reason: string;
}

export const newContainerState = (): ContainerState => ({
  restarts: 0,
  isStarted: false,
  startedAt: null,
  exitCode: null,
  reason: 'PodInitializing',
});

/** The `status` that the kubelet reports. */
export const statusOf = ({ spec }: PodObject, state: PodState, hostIP: string): object => {
  const at = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const condition = (type: string, isTrue: boolean): object => ({
    type,
    status: isTrue ? 'True' : 'False',
    lastTransitionTime: at,
  });
  const isOver = state.phase === 'Succeeded' || state.phase === 'Failed';
  return {
    phase: state.phase,
    hostIP,
    hostIPs: [{ ip: hostIP }],
    podIP: state.address,
    podIPs: [{ ip: state.address }],
    startTime: state.startTime,
    qosClass: 'Burstable',
    conditions: [
      condition('PodScheduled', true),
      condition('PodReadyToStartContainers', !isOver),
      condition('Initialized', state.isInitialized),
      condition('ContainersReady', state.isReady),
      condition('Ready', state.isReady),
    ],
    initContainerStatuses: (spec.initContainers ?? []).map((one) =>
      containerStatus(one, state, state.isInitialized),
    ),
    containerStatuses: spec.containers.map((one) => containerStatus(one, state, state.isReady)),
  };
};

const containerStatus = ({ name, image }: Container, state: PodState, ready: boolean): object => {
  const { restarts, isStarted, startedAt, exitCode, reason } =
    state.containers.get(name) ?? newContainerState();
  const terminated = { exitCode: exitCode ?? 0, reason: exitCode === 0 ? 'Completed' : 'Error' };
  const isRestarted =
    exitCode !== null && (state.phase === 'Pending' || state.phase === 'Running') && exitCode !== 0;
  return {
    name,
    image,
    imageID: image,
    containerID: `process://${name}-${restarts}`,
    restartCount: restarts,
    started: isStarted,
    ready,
    state:
      startedAt !== null
        ? { running: { startedAt } }
        : exitCode !== null && !isRestarted
          ? { terminated }
          : { waiting: { reason: isRestarted ? 'CrashLoopBackOff' : reason } },
    ...(isRestarted ? { lastState: { terminated } } : {}),
  };
};
