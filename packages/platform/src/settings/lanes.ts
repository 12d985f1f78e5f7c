/** The variables of the lanes. A lane of contracts/jobs/src/lanes.ts without variables does not compile. */
import type { Lane, RunLane } from '@evaluation/jobs-contract';
import * as z from 'zod/v4';
import { integer } from './read.ts';

export const lanesShape = {
  NATS_URL: z.string(),
  /** Prefix of streams and subjects, which separates services that share one NATS. */
  LANE_NAMESPACE: z
    .string()
    .regex(/^[a-z0-9_-]{1,40}$/)
    .default('evaluation'),
  /** Replicas of each JetStream stream, applied when core starts; needs as many servers. Unset: left as they are. */
  LANE_REPLICAS: z.enum(['1', '3', '5']).transform(Number).optional(),
};

type Read<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>;

export const lanesOf = (e: Read<typeof lanesShape>) => ({
  url: e.NATS_URL,
  namespace: e.LANE_NAMESPACE,
  ...(e.LANE_REPLICAS === undefined ? {} : { replicas: e.LANE_REPLICAS }),
});

export const concurrencyShape = {
  /** Runs that this process handles at once, by lane; 0: the process takes no runs of the lane. */
  COPY_CONCURRENCY: integer(0, 1000).default(2),
  TYPED_CONCURRENCY: integer(0, 1000).default(8),
  INSPECT_CONCURRENCY: integer(0, 1000).default(2),
  /** Checked copies drawn at once after changes of marks; each takes a second or two of CPU that grading needs. */
  DRAW_CONCURRENCY: integer(0, 1000).default(1),
};

export const concurrencyOf = (e: Read<typeof concurrencyShape>): Record<Lane, number> => ({
  copy: e.COPY_CONCURRENCY,
  typed: e.TYPED_CONCURRENCY,
  inspect: e.INSPECT_CONCURRENCY,
  draw: e.DRAW_CONCURRENCY,
});

export const modelCallsShape = {
  /**
   * Model calls of this process in flight at once, by lane. Separate limits keep slow copies from delaying typed
   * answers. The defaults match the default numbers of runs: 2 copies of 6 questions at once, and 8 typed runs of 2
   * calls.
   */
  COPY_MODEL_CALLS: integer(1, 1000).default(12),
  TYPED_MODEL_CALLS: integer(1, 1000).default(16),
};

export const modelCallsOf = (e: Read<typeof modelCallsShape>): Record<RunLane, number> => ({
  copy: e.COPY_MODEL_CALLS,
  typed: e.TYPED_MODEL_CALLS,
});

export const deadlinesShape = {
  /** Seconds from the first claim after which a run fails as `timed_out`. */
  COPY_DEADLINE_SECONDS: integer(1, 86_400).default(1800),
  TYPED_DEADLINE_SECONDS: integer(1, 86_400).default(600),
};

export const deadlinesOf = (e: Read<typeof deadlinesShape>): Record<RunLane, number> => ({
  copy: e.COPY_DEADLINE_SECONDS,
  typed: e.TYPED_DEADLINE_SECONDS,
});

export const windowsShape = {
  /**
   * Runs of one institute, and of all institutes, that may be claimed or released and unclaimed at once in a lane.
   * Fairness does not depend on these windows (decision 012), so the defaults are as many runs as 500 worker
   * processes take at default concurrency, and as many again in the lane. Lower a lane's window to spare its model,
   * an institute's to leave room for others.
   */
  COPY_INSTITUTE_WINDOW: integer(1, 100_000).default(2000),
  COPY_LANE_WINDOW: integer(1, 100_000).default(2000),
  TYPED_INSTITUTE_WINDOW: integer(1, 100_000).default(8000),
  TYPED_LANE_WINDOW: integer(1, 100_000).default(8000),
};

interface Windows {
  institute: number;
  lane: number;
}

export const windowsOf = (e: Read<typeof windowsShape>): Record<RunLane, Windows> => ({
  copy: { institute: e.COPY_INSTITUTE_WINDOW, lane: e.COPY_LANE_WINDOW },
  typed: { institute: e.TYPED_INSTITUTE_WINDOW, lane: e.TYPED_LANE_WINDOW },
});
