import * as z from 'zod/v4';
import { graderOf, graderShape, pricesOf } from './grader.ts';
import {
  concurrencyOf,
  concurrencyShape,
  lanesOf,
  lanesShape,
  modelCallsOf,
  modelCallsShape,
} from './lanes.ts';
import { monitorOf, monitorShape } from './monitor.ts';
import { inUse, integer, logLevel, read } from './read.ts';

export const WorkerEnvironment = z.object({
  ...monitorShape,
  LOG_LEVEL: logLevel,
  CORE_URL: z.url(),
  CORE_GRADING_TOKEN: inUse,
  ...lanesShape,
  ...concurrencyShape,
  /** Questions of one run that are sent to the model at once. */
  QUESTION_CONCURRENCY: integer(1, 200).default(6),
  ...graderShape,
  ...modelCallsShape,
  /**
   * `on`: a lane checks its model before it takes runs. `off` is for a model that fails the checks but must be
   * used; the service then does not notice a model that cannot see pictures.
   */
  MODEL_PREFLIGHT: z.enum(['on', 'off']).default('on'),
  /** Time limit in seconds for the PDF work of one copy; a scan of 80 pages takes well below a minute of CPU. */
  PDF_SECONDS: integer(5, 3600).default(300),
  /** Time limit in seconds for an inspection, which opens the file and reads the sizes of its pages. */
  INSPECT_SECONDS: integer(1, 600).default(30),
  /** Seconds for which a stopping worker finishes its work; less than the pod's grace period. */
  DRAIN_SECONDS: integer(0, 600).default(20),
});

export const readWorkerSettings = (env: Record<string, string | undefined> = process.env) => {
  const e = read(WorkerEnvironment, env);
  return {
    logLevel: e.LOG_LEVEL,
    monitor: monitorOf(e),
    core: { url: e.CORE_URL, token: e.CORE_GRADING_TOKEN },
    lanes: lanesOf(e),
    concurrency: { ...concurrencyOf(e), questions: e.QUESTION_CONCURRENCY },
    grader: graderOf(e),
    prices: pricesOf(e),
    modelCalls: modelCallsOf(e),
    preflight: e.MODEL_PREFLIGHT === 'on',
    pdfSeconds: e.PDF_SECONDS,
    inspectSeconds: e.INSPECT_SECONDS,
    drainSeconds: e.DRAIN_SECONDS,
  };
};
export type WorkerSettings = ReturnType<typeof readWorkerSettings>;
