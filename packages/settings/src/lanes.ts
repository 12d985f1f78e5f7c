/** The variables of the lanes. A lane of contracts/jobs/src/lanes.ts that has none here does not compile. */
import type { Lane, RunLane } from '@evaluation/jobs-contract';
import * as z from 'zod/v4';
import { integer } from './read.ts';

/** Where the lanes are; shared by core, facade and worker. */
export const lanesShape = {
  NATS_URL: z.string(),
  /** Keeps several services on one NATS apart: a prefix of streams and subjects. */
  LANE_NAMESPACE: z
    .string()
    .regex(/^[a-z0-9_-]{1,40}$/)
    .default('evaluation'),
};

type Read<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>;

export const concurrencyShape = {
  /** Runs at once in this process, by lane; 0 leaves the lane to other workers. */
  COPY_CONCURRENCY: integer(0, 1000).default(2),
  /** 8, or 200 where typed answers go in batches. */
  TYPED_CONCURRENCY: integer(0, 1000).optional(),
  INSPECT_CONCURRENCY: integer(0, 1000).default(2),
  /**
   * Checked copies drawn anew at once. A second or two of CPU each, of which grading can use all there is, and a teacher
   * who goes on with the next question does not wait for it.
   */
  DRAW_CONCURRENCY: integer(0, 1000).default(1),
};

export const concurrencyOf = (e: Read<typeof concurrencyShape>): Record<Lane, number> => ({
  copy: e.COPY_CONCURRENCY,
  typed: e.TYPED_CONCURRENCY ?? 8,
  inspect: e.INSPECT_CONCURRENCY,
  draw: e.DRAW_CONCURRENCY,
});

export const modelCallsShape = {
  /**
   * Model calls in flight in this process, over all its runs, by lane: copies that wait for the model never hold up typed
   * answers. About as many as its runs ask for at once: a copy's questions, and the one or two of a typed submission.
   */
  COPY_MODEL_CALLS: integer(1, 1000).default(12),
  TYPED_MODEL_CALLS: integer(1, 1000).default(16),
};

export const modelCallsOf = (e: Read<typeof modelCallsShape>): Record<RunLane, number> => ({
  copy: e.COPY_MODEL_CALLS,
  typed: e.TYPED_MODEL_CALLS,
});

export const deadlinesShape = {
  /** From the first claim; past it the run fails as timed_out. */
  COPY_DEADLINE_SECONDS: integer(1, 86_400).default(1800),
  TYPED_DEADLINE_SECONDS: integer(1, 86_400).default(600),
};

export const deadlinesOf = (e: Read<typeof deadlinesShape>): Record<RunLane, number> => ({
  copy: e.COPY_DEADLINE_SECONDS,
  typed: e.TYPED_DEADLINE_SECONDS,
});

export const windowsShape = {
  /**
   * Runs of one institute, and of all, that are being worked on in a lane or wait there for a worker; half of them wait.
   * Turns stay fair without (decision 012), so the defaults only have to be more than a cluster has workers: 500 worker
   * processes at their default concurrency. A lane is lowered to spare its model, an institute to leave room for others.
   */
  COPY_INSTITUTE_WINDOW: integer(1, 100_000).default(2000),
  COPY_LANE_WINDOW: integer(1, 100_000).default(2000),
  TYPED_INSTITUTE_WINDOW: integer(1, 100_000).default(8000),
  TYPED_LANE_WINDOW: integer(1, 100_000).default(8000),
};

/** Runs that may be out in a lane at once: of one institute, and of all. */
interface Windows {
  institute: number;
  lane: number;
}

export const windowsOf = (e: Read<typeof windowsShape>): Record<RunLane, Windows> => ({
  copy: { institute: e.COPY_INSTITUTE_WINDOW, lane: e.COPY_LANE_WINDOW },
  typed: { institute: e.TYPED_INSTITUTE_WINDOW, lane: e.TYPED_LANE_WINDOW },
});
