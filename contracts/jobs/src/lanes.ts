import { drawJob, type DrawJob } from './draw.ts';
import { inspectJob, type InspectJob } from './inspect.ts';
import { runJob, type RunJob } from './run.ts';

/*
 * The table of lanes. Settings, metrics, the dispatcher, workers and the chart follow it: a lane that is added here does
 * not compile until packages/settings/src/lanes.ts has its variables, and `npm run generate:chart` gives it to the chart.
 * The lane's name is the last part of its subject: `<namespace>.lane.<lane>`.
 */

/** Lanes that runs wait for and are graded in. They carry the same job but wait apart, so that neither delays the other. */
export const RUN_LANES = ['copy', 'typed'] as const;
export type RunLane = (typeof RUN_LANES)[number];

/** Lanes of jobs that grade nothing. Such jobs wait as rows of their own tables (apps/core/src/jobs/releaseJobs.ts). */
export const JOB_LANES = ['inspect', 'draw'] as const;
export type JobLane = (typeof JOB_LANES)[number];

export const LANES = [...RUN_LANES, ...JOB_LANES] as const;
export type Lane = RunLane | JobLane;

/** What is graded in a lane: pages of a scanned copy, or answers that came as text. */
type Material = 'pages' | 'answers';

interface RunLaneRow {
  readonly grades: Material;
  /** Key of the advisory lock under which one replica of core at a time releases the lane's runs; used by nothing else. */
  readonly releaseLock: number;
}

/** What differs between the lanes of runs. */
export const runLanes: Readonly<Record<RunLane, RunLaneRow>> = {
  copy: { grades: 'pages', releaseLock: 7_301_120 },
  typed: { grades: 'answers', releaseLock: 7_301_121 },
};

/** A value for each lane of runs. */
export function forEachRunLane<T>(make: (lane: RunLane) => T): Record<RunLane, T> {
  return { copy: make('copy'), typed: make('typed') };
}

/** Which job travels in which lane. */
export type LaneJobs = Record<RunLane, RunJob> & { inspect: InspectJob; draw: DrawJob };

/** How the jobs of a lane become bytes and are read again. */
export const laneJobs: {
  readonly [L in Lane]: {
    readonly name: string;
    readonly version: number;
    encode(job: LaneJobs[L]): Uint8Array;
    decode(bytes: Uint8Array): LaneJobs[L];
  };
} = { ...forEachRunLane(() => runJob), inspect: inspectJob, draw: drawJob };

/** The subject of a lane. `namespace` keeps several installations on one NATS apart. */
export function laneSubject(namespace: string, lane: Lane): string {
  return `${namespace}.lane.${lane}`;
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
