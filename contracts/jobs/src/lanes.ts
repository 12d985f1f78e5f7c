import { drawJob, type DrawJob } from './draw.ts';
import { inspectJob, type InspectJob } from './inspect.ts';
import { runJob, type RunJob } from './run.ts';

/*
 * The table of lanes. Settings, metrics, the dispatcher, workers and the chart follow it. After a lane is added here,
 * the code does not compile until packages/platform/src/settings/lanes.ts has its variables; `npm run generate:chart`
 * adds it to the chart. The lane's name is the last part of its subject: `<namespace>.lane.<lane>`.
 */

/** Lanes of runs carry the same job. Their queues are separate, so that neither lane delays the other. */
export const RUN_LANES = ['copy', 'typed'] as const;
export type RunLane = (typeof RUN_LANES)[number];

/** Lanes of jobs that do not grade. Such jobs wait as rows of their own tables (apps/core/src/files/releaseJobs.ts). */
export const JOB_LANES = ['inspect', 'draw'] as const;
export type JobLane = (typeof JOB_LANES)[number];

export const LANES = [...RUN_LANES, ...JOB_LANES] as const;
export type Lane = RunLane | JobLane;

type Material = 'pages' | 'answers';

interface RunLaneRow {
  readonly grades: Material;
  /** Key of the PostgreSQL advisory lock that lets one replica of core at a time release the lane's runs. */
  readonly releaseLock: number;
}

export const runLanes: Readonly<Record<RunLane, RunLaneRow>> = {
  copy: { grades: 'pages', releaseLock: 7_301_120 },
  typed: { grades: 'answers', releaseLock: 7_301_121 },
};

export const forEachRunLane = <T>(make: (lane: RunLane) => T): Record<RunLane, T> => ({
  copy: make('copy'),
  typed: make('typed'),
});

/** Like `forEachRunLane`, one lane after the other. */
export const forEachRunLaneInOrder = async <T>(
  make: (lane: RunLane) => Promise<T>,
): Promise<Record<RunLane, T>> => ({
  copy: await make('copy'),
  typed: await make('typed'),
});

export type LaneJobs = Record<RunLane, RunJob> & { inspect: InspectJob; draw: DrawJob };

export const laneJobs: {
  readonly [L in Lane]: {
    readonly name: string;
    readonly version: number;
    encode(job: LaneJobs[L]): Uint8Array;
    decode(bytes: Uint8Array): LaneJobs[L];
  };
} = { ...forEachRunLane(() => runJob), inspect: inspectJob, draw: drawJob };

/** Subject of a lane. `namespace` separates several installations on one NATS. */
export const laneSubject = (namespace: string, lane: Lane): string => `${namespace}.lane.${lane}`;

/**
 * Subject of a counter that several processes change.
 * @param name letters, digits, `:`, `_` and `-`; `*` for all counters
 */
export const counterSubject = (namespace: string, name: string): string => `${namespace}.counter.${name}`;

/**
 * Message id of one delivery. JetStream drops a second message with the same id within its duplicate window, so a
 * release that is published twice arrives once. The next delivery of the same run has another id and arrives.
 *
 * @param id id of the run, of the upload, or of the submission of a drawing
 */
export const messageId = (id: string, delivery: number): string => `${id}:${delivery}`;
