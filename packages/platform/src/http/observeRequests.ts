import type { Request, RequestHandler, Response } from 'express';
import {
  continueTrace,
  describeSpan,
  inSpan,
  metrics,
  SpanKind,
  traceIdOf,
  type Logger,
} from '../telemetry/index.ts';
import { requestIdOf } from './requestId.ts';

/** What metrics, log line and span say of a request, read when it is over. None of it is data of a client. */
export interface Description {
  /** A path of the contract, or a group of paths: each value creates series. */
  route: string;
  institute_id?: string | undefined;
  /** Procedure of core. */
  procedure?: string | undefined;
}

/**
 * Records metrics, a log line and the root span of each request. A client's trace context is recorded as an attribute
 * and not continued, so that clients do not decide how much is traced.
 */
export const observeRequests =
  (
    service: string,
    log: Logger,
    describe: (request: Request, response: Response) => Description,
  ): RequestHandler =>
  (request, response, next) => {
    const started = performance.now();
    const method = KNOWN_METHODS.has(request.method) ? request.method : 'other';
    const requestId = requestIdOf(response);
    const clientTrace = traceIdOf(request.get('traceparent'));
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    // `close` is emitted also when the client disconnects.
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
        const description = describe(request, response);
        const { route, institute_id: institute } = description;
        const status = response.writableFinished ? String(response.statusCode) : 'aborted';
        const ms = performance.now() - started;
        metrics.httpInFlight.dec({ service });
        metrics.httpRequests.inc({ service, route, method, status });
        // A stream of events is open as long as its page, which says nothing about speed.
        if (!EVENTS.test(String(response.getHeader('content-type'))))
          metrics.httpDuration.observe({ service, route, method }, ms / 1000);
        describeSpan(
          {
            'http.route': route,
            'http.response.status_code': status,
            ...(institute === undefined ? {} : { 'evaluation.institute_id': institute }),
          },
          { name: `${method} ${route}`, failed: response.statusCode >= 500 },
        );
        const duration_ms = Math.round(ms * 10) / 10;
        log.info({ request_id: requestId, method, ...description, status, duration_ms }, 'request');
      },
      { kind: SpanKind.SERVER, parent: continueTrace(undefined) },
    );
  };

const EVENTS = /^text\/event-stream\b/;

/** Other methods are recorded as `other`, because each value of a label creates a series. */
const KNOWN_METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
