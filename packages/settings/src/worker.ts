import * as z from 'zod/v4';
import { graderOf, graderShape, pricesOf } from './grader.ts';
import { concurrencyOf, concurrencyShape, lanesShape, modelCallsOf, modelCallsShape } from './lanes.ts';
import { monitorOf, monitorShape } from './monitor.ts';
import { inUse, integer, logLevel, read } from './read.ts';

export const WorkerEnvironment = z.object({
  ...monitorShape,
  LOG_LEVEL: logLevel,
  CORE_URL: z.url(),
  CORE_GRADING_TOKEN: inUse,
  ...lanesShape,
  ...concurrencyShape,
  /** Questions of one run in flight at the model at once. */
  QUESTION_CONCURRENCY: integer(1, 200).default(6),
  ...graderShape,
  ...modelCallsShape,
  /**
   * Whether a lane checks its model before it takes runs. Off is for a model that fails the checks and is to be used all the
   * same: then nothing says that it does not see.
   */
  MODEL_PREFLIGHT: z.enum(['on', 'off']).default('on'),
  /** One copy's PDF work: a scan of 80 pages takes well below a minute of CPU. */
  PDF_SECONDS: integer(5, 3600).default(300),
  /** Inspection only opens the file and looks at its pages. */
  INSPECT_SECONDS: integer(1, 600).default(30),
  /** After SIGTERM: longer than a page's work, shorter than a pod's grace. */
  DRAIN_SECONDS: integer(0, 600).default(20),
});

export const readWorkerSettings = (env: Record<string, string | undefined> = process.env) => {
  const e = read(WorkerEnvironment, env);
  return {
    logLevel: e.LOG_LEVEL,
    monitor: monitorOf(e),
    core: { url: e.CORE_URL, token: e.CORE_GRADING_TOKEN },
    lanes: { url: e.NATS_URL, namespace: e.LANE_NAMESPACE },
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
