import * as z from 'zod/v4';
import { lanesShape } from './core.ts';
import { integer, logLevel, read, secret } from './read.ts';

const WorkerEnvironment = z.object({
  LOG_LEVEL: logLevel,
  CORE_URL: z.url(),
  CORE_GRADING_TOKEN: secret,
  ...lanesShape,
  /** Runs at once in this process, by lane; 0 leaves the lane to other workers. */
  COPY_CONCURRENCY: integer(0, 1000).default(2),
  TYPED_CONCURRENCY: integer(0, 1000).default(8),
  INSPECT_CONCURRENCY: integer(0, 1000).default(2),
  /**
   * Checked copies drawn anew at once. A second or two of CPU each, of which grading can use all there is, and a teacher
   * who goes on with the next question does not wait for it.
   */
  DRAW_CONCURRENCY: integer(0, 1000).default(1),
  /** Questions of one run in flight at the model at once. */
  QUESTION_CONCURRENCY: integer(1, 200).default(6),
  GRADER: z.enum(['openai', 'baseline']).optional(),
  OPENAI_BASE_URL: z.url().default('https://api.openai.com/v1'),
  OPENAI_API_KEY: z.string().optional(),
  GRADER_MODEL: z.string().default('gpt-4.1'),
  /**
   * Model calls in flight in this process, over all its runs, by lane: copies that wait for the model never hold up typed
   * answers. About as many as its runs ask for at once: a copy's questions, and the one or two of a typed submission.
   */
  COPY_MODEL_CALLS: integer(1, 1000).default(12),
  TYPED_MODEL_CALLS: integer(1, 1000).default(16),
  MODEL_CALL_SECONDS: integer(1, 300).default(120),
  /** One copy's PDF work: a scan of 80 pages takes well below a minute of CPU. */
  PDF_SECONDS: integer(5, 3600).default(300),
  /** Inspection only opens the file and looks at its pages. */
  INSPECT_SECONDS: integer(1, 600).default(30),
  /** After SIGTERM: longer than a page's work, shorter than a pod's grace. */
  DRAIN_SECONDS: integer(0, 600).default(20),
});

export const readWorkerSettings = (env: Record<string, string | undefined> = process.env) => {
  const e = read(WorkerEnvironment, env);
  const provider = e.GRADER ?? (e.OPENAI_API_KEY === undefined ? 'baseline' : 'openai');
  return {
    logLevel: e.LOG_LEVEL,
    core: { url: e.CORE_URL, token: e.CORE_GRADING_TOKEN },
    lanes: { url: e.NATS_URL, namespace: e.LANE_NAMESPACE },
    concurrency: {
      copy: e.COPY_CONCURRENCY,
      typed: e.TYPED_CONCURRENCY,
      inspect: e.INSPECT_CONCURRENCY,
      draw: e.DRAW_CONCURRENCY,
      questions: e.QUESTION_CONCURRENCY,
    },
    grader:
      provider === 'openai'
        ? {
            provider,
            baseUrl: e.OPENAI_BASE_URL,
            // Servers of one's own (vLLM, Ollama) take any key; the client refuses to start without one.
            apiKey: e.OPENAI_API_KEY ?? 'none',
            model: e.GRADER_MODEL,
            callTimeoutSeconds: e.MODEL_CALL_SECONDS,
          }
        : { provider },
    modelCalls: { copy: e.COPY_MODEL_CALLS, typed: e.TYPED_MODEL_CALLS },
    pdfSeconds: e.PDF_SECONDS,
    inspectSeconds: e.INSPECT_SECONDS,
    drainSeconds: e.DRAIN_SECONDS,
  };
};
export type WorkerSettings = ReturnType<typeof readWorkerSettings>;
