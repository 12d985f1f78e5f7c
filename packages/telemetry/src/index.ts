export { drainable, type Drainable } from './drainable.ts';
export { CannotListen, listen } from './listen.ts';
export { createLogger, type Logger } from './logger.ts';
export * as metrics from './metrics.ts';
export { observe, type Observed } from './observe.ts';
export { readinessOf, startMonitor, type Dependencies, type Monitor, type Readiness } from './monitor.ts';
export { asLogLines, runUntilSignal } from './runUntilSignal.ts';
export {
  continueTrace,
  describeSpan,
  inSpan,
  startTracing,
  traceIdOf,
  traceIds,
  traceparentNow,
  type TracingOptions,
} from './tracing.ts';
export { SpanKind } from '@opentelemetry/api';
