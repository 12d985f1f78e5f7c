/**
 * Traces of one copy from its REST request through the lane to the model calls (W3C trace context, exported over OTLP).
 *
 * One way to trace: `inSpan` around work, `traceparentNow` to hand the trace on in a header, a row or a message, and
 * `continueTrace` where it comes in. Without an endpoint the API's own no-op tracer does nothing at next to no cost.
 * Attributes are ids, counts and codes: never a key, an answer or a name.
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
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';

export interface TracingOptions {
  /** What the process is called, e.g. `worker`. */
  service: string;
  /** Of a collector, without `/v1/traces`; undefined: no traces. */
  endpoint: string | undefined;
  /** Share of traces that are kept, 0..1; whoever begins a trace decides for all of it. */
  sampleRatio: number;
}

const NAME = 'answer-evaluation';

/** What a process gives its last spans to be sent. */
const LAST_EXPORT_MS = 2000;

/** Begins to export traces from this process; once, before anything is traced. @returns ends it, sending what waits */
export const startTracing = (options: TracingOptions): { close(): Promise<void> } => {
  if (options.endpoint === undefined) return { close: async () => {} };
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': options.service, 'service.namespace': NAME }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.sampleRatio) }),
    spanProcessors: [
      // Bounded: a collector that is away costs spans, never memory or time.
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({
          url: `${options.endpoint.replace(/\/$/, '')}/v1/traces`,
          timeoutMillis: 5000,
        }),
        maxQueueSize: 4096,
        maxExportBatchSize: 512,
        scheduledDelayMillis: 1000,
        exportTimeoutMillis: 5000,
      }),
    ],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  return {
    close: async () => {
      // A collector that is away must not keep a process from ending, which may have been told to be quick.
      const late = Promise.withResolvers<void>();
      const timeout = setTimeout(late.resolve, LAST_EXPORT_MS);
      await Promise.race([provider.shutdown().catch(() => {}), late.promise]);
      clearTimeout(timeout);
      trace.disable();
      propagation.disable();
      context.disable();
    },
  };
};

/**
 * Does work inside a span; what it calls becomes its child. A failure marks the span with its class, never with its
 * message, which may quote what nobody should read in a trace.
 */
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
 * Adds to the span that work is in what is known only when it is done.
 * @param end its name, where that was not known before, and whether the work failed without throwing
 */
export const describeSpan = (attributes: Attributes, end: { name?: string; failed?: boolean } = {}): void => {
  const span = trace.getActiveSpan();
  span?.setAttributes(attributes);
  if (end.name !== undefined) span?.updateName(end.name);
  if (end.failed === true) span?.setStatus({ code: SpanStatusCode.ERROR });
};

/** For log lines: the trace and the span that they belong to; nothing outside of a trace. */
export const traceIds = (): { trace_id: string; span_id: string } | Record<string, never> => {
  const span = trace.getActiveSpan()?.spanContext();
  return span === undefined || !isSpanContextValid(span)
    ? {}
    : { trace_id: span.traceId, span_id: span.spanId };
};

/** The place in the trace where we are, as a W3C `traceparent`; undefined when nothing is traced. */
export const traceparentNow = (): string | undefined => {
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  return carrier['traceparent'];
};

/** Where a trace goes on that came with a header, a row or a message; a new one begins where none came. */
export const continueTrace = (traceparent: string | null | undefined): Context =>
  traceparent == null ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, { traceparent });

/** The id of the trace that a `traceparent` names; undefined where it names none. */
export const traceIdOf = (traceparent: string | undefined): string | undefined =>
  TRACEPARENT.exec(traceparent ?? '')?.[1];

/** Version 00, and what later ones must begin with; no trace has an id of zeros only. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(?:-|$)/;
