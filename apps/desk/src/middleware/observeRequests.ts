import type { Request, RequestHandler } from 'express';
import { metrics, type Logger } from '@evaluation/platform/telemetry';
import { requestIdOf } from './requestId.ts';

const SERVICE = 'desk';
const METHODS = new Set(['GET', 'HEAD', 'POST', 'DELETE']);
const ROUTES = ['/trpc', '/session', '/oidc', '/events', '/assets'];
const PROCEDURE = /^\/trpc\/([A-Za-z]+(?:\.[A-Za-z]+)*)$/;

/** Records metrics and a log line of each request. Neither has an address of the page, which names exams by id. */
export const observeRequests =
  (log: Logger): RequestHandler =>
  (request, response, next) => {
    const started = performance.now();
    const method = METHODS.has(request.method) ? request.method : 'other';
    const route = routeOf(request);
    // Middleware mounted below a path changes `path`, so the procedure is read now.
    const procedure = PROCEDURE.exec(request.path)?.[1];
    metrics.httpInFlight.inc({ service: SERVICE });
    // `close` is emitted also when the browser disconnects.
    response.once('close', () => {
      const status = response.writableFinished ? String(response.statusCode) : 'aborted';
      const ms = performance.now() - started;
      metrics.httpInFlight.dec({ service: SERVICE });
      metrics.httpRequests.inc({ service: SERVICE, route, method, status });
      if (route !== '/events') metrics.httpDuration.observe({ service: SERVICE, route, method }, ms / 1000);
      log.info(
        {
          request_id: requestIdOf(response),
          method,
          route,
          procedure,
          status,
          duration_ms: Math.round(ms * 10) / 10,
        },
        'request',
      );
    });
    next();
  };

const routeOf = ({ path }: Request): string =>
  ROUTES.find((route) => path === route || path.startsWith(`${route}/`)) ?? 'page';
