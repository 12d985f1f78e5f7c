import * as z from 'zod/v4';
import { integer, port } from './read.ts';

/** How a process is watched from outside; the same in each of them. */
export const monitorShape = {
  /** `/healthz`, `/readyz` and `/metrics`, apart from what the process serves; unset: not served. */
  METRICS_PORT: port.optional(),
  METRICS_HOST: z.string().default('127.0.0.1'),
  /** A collector of traces (OTLP over HTTP), e.g. `http://collector:4318`; unset: nothing is traced. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional(),
  /** The share of requests that are traced, each with all that follows from it; what a client asks for does not change it. */
  TRACE_SAMPLE_RATIO: z.coerce.number().min(0).max(1).default(1),
};

export const monitorOf = (e: z.infer<z.ZodObject<typeof monitorShape>>) => ({
  listen: e.METRICS_PORT === undefined ? null : { host: e.METRICS_HOST, port: e.METRICS_PORT },
  traces: { endpoint: e.OTEL_EXPORTER_OTLP_ENDPOINT, sampleRatio: e.TRACE_SAMPLE_RATIO },
});
export type MonitorSettings = ReturnType<typeof monitorOf>;

/**
 * For how long a server that is told to stop goes on serving open connections, each of which ends with its next answer;
 * it stops earlier when none is left. Longer than our own clients keep a silent connection to core (4 s), so that none is
 * closed under a request; a minute more than that only delays a deploy.
 */
export const lingerShape = { LINGER_SECONDS: integer(0, 60).default(5) };
