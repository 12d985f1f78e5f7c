import type { RequestHandler } from 'express';
import {
  continueTrace,
  describeSpan,
  inSpan,
  metrics,
  SpanKind,
  traceIdOf,
  type Logger,
} from '@evaluation/platform/telemetry';
import { keyOf } from './authenticate.ts';
import { requestIdOf } from './requestId.ts';
import { routeOf } from './routeMetadata.ts';

const SERVICE = 'facade';

/**
 * Records metrics, a log line and the root span of each request. A client's trace context is recorded as an attribute
 * and not continued, so that clients do not decide how much is traced. Paths are those of the contract, so no client
 * data is recorded.
 */
export const observeRequests =
  (log: Logger): RequestHandler =>
  (request, response, next) => {
    const started = performance.now();
    const method = KNOWN_METHODS.has(request.method) ? request.method : 'other';
    const requestId = requestIdOf(response);
    const clientTrace = traceIdOf(request.get('traceparent'));
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    // `close` is emitted also when the client disconnects.
    response.once('close', end);
    metrics.httpInFlight.inc({ service: SERVICE });
    void inSpan(
      `${method} request`,
      {
        'http.request.method': method,
        'evaluation.request_id': requestId,
        ...(clientTrace === undefined ? {} : { 'evaluation.client_trace_id': clientTrace }),
      },
      async () => {
        next();
        await over;
        const route = routeOf(request) ?? 'none';
        const status = response.writableFinished ? String(response.statusCode) : 'aborted';
        const institute = keyOf(response)?.institute_id;
        const ms = performance.now() - started;
        metrics.httpInFlight.dec({ service: SERVICE });
        metrics.httpRequests.inc({ service: SERVICE, route, method, status });
        metrics.httpDuration.observe({ service: SERVICE, route, method }, ms / 1000);
        describeSpan(
          {
            'http.route': route,
            'http.response.status_code': status,
            ...(institute === undefined ? {} : { 'evaluation.institute_id': institute }),
          },
          { name: `${method} ${route}`, failed: response.statusCode >= 500 },
        );
        log.info(
          {
            request_id: requestId,
            institute_id: institute,
            method,
            route,
            status,
            duration_ms: Math.round(ms * 10) / 10,
          },
          'request',
        );
      },
      { kind: SpanKind.SERVER, parent: continueTrace(undefined) },
    );
  };

/** Other methods are recorded as `other`, because each value of a label creates a series. */
const KNOWN_METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
