import type { RequestHandler } from 'express';
import {
  continueTrace,
  describeSpan,
  inSpan,
  metrics,
  SpanKind,
  traceIdOf,
  type Logger,
} from '@evaluation/telemetry';
import { keyOf } from './authenticate.ts';
import { requestIdOf } from './requestId.ts';
import { routeOf } from './routeMetadata.ts';

const service = 'facade';

/**
 * The golden signals of a request, its line in the log, and the span that its trace begins with. A client's own trace is
 * named there and not gone on with: whoever is outside does not decide how much of us is traced. Paths are the contract's: what a client sent has no place in any of them.
 */
export const observeRequests =
  (log: Logger): RequestHandler =>
  (request, response, next) => {
    const started = performance.now();
    const method = KNOWN_METHODS.has(request.method) ? request.method : 'other';
    const requestId = requestIdOf(response);
    const clientTrace = traceIdOf(request.get('traceparent'));
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    // A client that hangs up is over too.
    response.once('close', end);
    metrics.httpInFlight.inc({ service });
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
        metrics.httpInFlight.dec({ service });
        metrics.httpRequests.inc({ service, route, method, status });
        metrics.httpDuration.observe({ service, route, method }, ms / 1000);
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

/** A client may send any word: each would be a series of its own. */
const KNOWN_METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
