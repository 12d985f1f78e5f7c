import { drawJob, type DrawJob } from './draw.ts';
import { inspectJob, type InspectJob } from './inspect.ts';
import { keysChanged, type KeysChanged } from './keysChanged.ts';
import { runJob, type RunJob } from './run.ts';
import { runStopped, type RunStopped } from './runStopped.ts';

/**
 * Which job travels in which lane. `copy` and `typed` carry the same job but wait apart (spec: handwritten and typed
 * submissions wait in separate lanes). The lane's name is the last part of its subject: `<namespace>.lane.<lane>`.
 */
export interface LaneJobs {
  copy: RunJob;
  typed: RunJob;
  inspect: InspectJob;
  draw: DrawJob;
}

export type Lane = keyof LaneJobs;

export const laneJobs = { copy: runJob, typed: runJob, inspect: inspectJob, draw: drawJob } as const;

export const lanes: readonly Lane[] = ['copy', 'typed', 'inspect', 'draw'];

/** What is broadcast, by kind; the subject is `<namespace>.control.<kind>`. */
export interface ControlMessages {
  run_stopped: RunStopped;
  keys_changed: KeysChanged;
}

export type ControlKind = keyof ControlMessages;

export const controlMessages = {
  run_stopped: runStopped,
  keys_changed: keysChanged,
} as const;

/** The subject of a lane. `namespace` keeps several installations on one NATS apart. */
export function laneSubject(namespace: string, lane: Lane): string {
  return `${namespace}.lane.${lane}`;
}

/** The subject of a kind of control message. */
export function controlSubject(namespace: string, kind: ControlKind): string {
  return `${namespace}.control.${kind}`;
}

/**
 * The subject of a counter that several processes change together.
 * @param name letters, digits, `:`, `_` and `-`; `*` for all
 */
export function counterSubject(namespace: string, name: string): string {
  return `${namespace}.counter.${name}`;
}

/**
 * The message id of one delivery. JetStream drops a second message with the same id inside its duplicate window, so a
 * release that is published twice arrives once, while the next delivery of the same run does arrive.
 *
 * @param id the run's, the upload's or, of a drawing, the submission's id
 */
export function messageId(id: string, delivery: number): string {
  return `${id}:${delivery}`;
}
