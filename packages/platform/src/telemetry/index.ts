export { drainable } from './drainable.ts';
export { CannotListen, holdPort, listen } from './listen.ts';
export { createLogger, type Logger } from './logger.ts';
export * as metrics from './metrics.ts';
export { observe, type Observed } from './observe.ts';
export { readinessOf } from './monitor.ts';
export { asLogLines, runUntilSignal } from './runUntilSignal.ts';
export { continueTrace, describeSpan, inSpan, traceIdOf, traceparentNow } from './tracing.ts';
export { SpanKind } from '@opentelemetry/api';
