/**
 * Traces from a REST request through the lane to the model calls (W3C trace context, exported over OTLP).
 *
 * `inSpan` wraps work, `traceparentNow` passes the trace on in a header, row or message, and `continueTrace` resumes
 * it there. Without an endpoint the API's no-op tracer is used, at almost no cost. Attributes are ids, counts and
 * codes, never keys, answers or names.
 */
import {
  context,
  isSpanContextValid,
  propagation,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type SpanKind,
} from '@opentelemetry/api';
interface TracingOptions {
  service: string;
  /** Address of a collector, without `/v1/traces`; undefined: no traces. */
  endpoint: string | undefined;
  /** Share of traces that are exported, 0..1. The process that begins a trace decides for all others. */
  sampleRatio: number;
}

const NAME = 'answer-evaluation';

/**
 * Starts the export of traces; call once, before the first span. Without an endpoint the SDK is not loaded.
 *
 * @returns `close`, which sends the waiting spans
 */
export const startTracing = async (options: TracingOptions): Promise<{ close(): Promise<void> }> => {
  const { endpoint } = options;
  if (endpoint === undefined) return { close: async () => {} };
  const { exportTraces } = await import('./exportTraces.ts');
  return exportTraces({ ...options, endpoint });
};

/** Runs `work` inside a span. A failed span has the error's class only: the message may hold personal data. */
export const inSpan = <T>(
  name: string,
  attributes: Attributes,
  work: () => Promise<T>,
  options: { kind?: SpanKind; parent?: Context } = {},
): Promise<T> =>
  trace
    .getTracer(NAME)
    .startActiveSpan(
      name,
      { attributes, ...(options.kind === undefined ? {} : { kind: options.kind }) },
      options.parent ?? context.active(),
      async (span) => {
        try {
          return await work();
        } catch (error) {
          span.setStatus({
            code: SpanStatusCode.ERROR,
            message: error instanceof Error ? error.name : typeof error,
          });
          throw error;
        } finally {
          span.end();
        }
      },
    );

/**
 * Adds attributes to the active span that are known only after its work.
 * @param end a better name, and whether the work failed without an exception
 */
export const describeSpan = (attributes: Attributes, end: { name?: string; failed?: boolean } = {}): void => {
  const span = trace.getActiveSpan();
  span?.setAttributes(attributes);
  if (end.name !== undefined) span?.updateName(end.name);
  if (end.failed === true) span?.setStatus({ code: SpanStatusCode.ERROR });
};

/** {} outside of a trace. */
export const traceIds = (): { trace_id: string; span_id: string } | Record<string, never> => {
  const span = trace.getActiveSpan()?.spanContext();
  return span === undefined || !isSpanContextValid(span)
    ? {}
    : { trace_id: span.traceId, span_id: span.spanId };
};

/** W3C `traceparent` of the active span; undefined outside of a trace. */
export const traceparentNow = (): string | undefined => {
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  return carrier['traceparent'];
};

/** Context for the trace of a received `traceparent`, or for a new trace without one. */
export const continueTrace = (traceparent: string | null | undefined): Context =>
  traceparent == null ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, { traceparent });

export const traceIdOf = (traceparent: string | undefined): string | undefined =>
  TRACEPARENT.exec(traceparent ?? '')?.[1];

/** Version 00 and the compatible prefix of later versions; a trace id of zeros is invalid. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/;
