import express, { type Express } from 'express';
import type { CoreOverHttp } from '@evaluation/core-client';
import { lookUpLimits } from '@evaluation/platform/client-limits';
import type { DeskSettings } from '@evaluation/platform/settings';
import { readinessOf, type Logger } from '@evaluation/platform/telemetry';
import { forwardCalls } from './calls/forwardCalls.ts';
import { sendEvents } from './events/sendEvents.ts';
import type { Streams } from './events/streams.ts';
import { downloadRoutes } from './downloads/downloadRoutes.ts';
import { errorHandler, notFound } from './middleware/errors.ts';
import { fromOwnPage } from './middleware/fromOwnPage.ts';
import { ownHost } from './middleware/ownHost.ts';
import { observeRequests } from './middleware/observeRequests.ts';
import { requestId } from './middleware/requestId.ts';
import { securityHeaders } from './middleware/securityHeaders.ts';
import { servePage } from './page/servePage.ts';
import { knownSessions } from './sessions/knownSessions.ts';
import { oidcRoutes } from './sessions/oidcRoutes.ts';
import { sessionRoutes } from './sessions/sessionRoutes.ts';

/** Look-ups of sessions and links that do not exist. A look-up takes core one query. */
const UNKNOWN_PER_MINUTE = { address: 300, all: 1200 };

/**
 * Server of the desk's page (docs/desk/server.md): files of the page, sessions in cookies, and calls of the page, which
 * it passes on to core with the signed actor of the signed-in person. It owns no table and no rule.
 */
export const createApp = (
  core: CoreOverHttp,
  settings: DeskSettings,
  log: Logger,
  streams: Streams,
): Express => {
  const limits = lookUpLimits(UNKNOWN_PER_MINUTE);
  const sessions = knownSessions(core, settings, limits);
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', settings.trustedProxies);
  app.set('query parser', 'simple');
  app.use(securityHeaders(settings));
  app.use(requestId);
  app.get('/healthz', (_request, response) => void response.send('ok'));
  const readiness = readinessOf({ core: () => core.ping() }, 'desk');
  app.get('/readyz', async (_request, response) => {
    const { status, body } = await readiness();
    response.status(status).send(body);
  });

  // After the probes, so that probes are neither logged nor counted.
  app.use(observeRequests(log));
  app.use(ownHost(settings.url));
  const ownPage = fromOwnPage(settings.url);
  app.use('/session', ownPage, sessionRoutes(core, sessions, settings, limits));
  app.use('/oidc', oidcRoutes(core, sessions, settings, log));
  app.post('/trpc/:procedure', ownPage, forwardCalls(core, sessions, settings));
  app.get('/events', sendEvents(sessions, streams));
  app.use('/downloads', downloadRoutes(core, sessions, log));
  app.get('/{*path}', servePage());
  app.use(notFound);
  app.use(errorHandler(log));
  return app;
};
