import { context, propagation, trace } from '@opentelemetry/api';
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

const LAST_EXPORT_MS = 2000;

/** Starts the OpenTelemetry SDK. @returns `close`, which sends the waiting spans */
export const exportTraces = (options: {
  service: string;
  endpoint: string;
  sampleRatio: number;
}): { close(): Promise<void> } => {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': options.service,
      'service.namespace': 'answer-evaluation',
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.sampleRatio) }),
    spanProcessors: [
      // Bounded queue: an unreachable collector loses spans, but takes no memory and blocks no work.
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
      // An unreachable collector must not delay the end of the process.
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
