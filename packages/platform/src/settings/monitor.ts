import * as z from 'zod/v4';
import { integer, port } from './read.ts';

export const monitorShape = {
  /** Port of `/healthz`, `/readyz` and `/metrics`, separate from the service's own; unset: not served. */
  METRICS_PORT: port.optional(),
  METRICS_HOST: z.string().default('127.0.0.1'),
  /** Address of a trace collector (OTLP over HTTP), e.g. `http://collector:4318`; unset: no traces. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional(),
  /** Share of requests that are traced, 0..1. The client's own sampling flag is ignored. */
  TRACE_SAMPLE_RATIO: z.coerce.number().min(0).max(1).default(1),
};

export const monitorOf = (e: z.infer<z.ZodObject<typeof monitorShape>>) => ({
  listen: e.METRICS_PORT === undefined ? null : { host: e.METRICS_HOST, port: e.METRICS_PORT },
  traces: { endpoint: e.OTEL_EXPORTER_OTLP_ENDPOINT, sampleRatio: e.TRACE_SAMPLE_RATIO },
});

/**
 * Seconds for which a stopping server still serves open connections and closes each with its next response; it stops
 * earlier when none is left. Must be longer than our clients keep idle connections to core (4 s), so that no
 * connection is closed during a request. More than a minute only delays deployments.
 */
export const lingerShape = { LINGER_SECONDS: integer(0, 60).default(5) };
