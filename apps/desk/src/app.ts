import type { Express, Request } from 'express';
import type { CoreOverHttp } from '@evaluation/core-client';
import { lookUpLimits } from '@evaluation/platform/client-limits';
import type { DeskSettings } from '@evaluation/platform/settings';
import { createHttpApp } from '@evaluation/platform/http';
import type { Logger } from '@evaluation/platform/telemetry';
import { forwardCalls } from './calls/forwardCalls.ts';
import { sendEvents } from './events/sendEvents.ts';
import type { Streams } from './events/streams.ts';
import { downloadRoutes } from './downloads/downloadRoutes.ts';
import { errorHandler, notFound } from './middleware/errors.ts';
import { fromOwnPage } from './middleware/fromOwnPage.ts';
import { ownHost } from './middleware/ownHost.ts';
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
  const app = createHttpApp({
    name: 'desk',
    log,
    trustedProxies: settings.trustedProxies,
    headers: securityHeaders(settings),
    pingCore: () => core.ping(),
    describe: describeRequest,
  });
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

/** Addresses of the page name exams by id, so each of them is `page`. */
const describeRequest = ({ originalUrl }: Request): { route: string; procedure: string | undefined } => ({
  route: ROUTE.exec(originalUrl)?.[1] ?? 'page',
  procedure: PROCEDURE.exec(originalUrl)?.[1],
});

const ROUTE = /^(\/(?:trpc|session|oidc|events|assets))(?:[/?]|$)/;
const PROCEDURE = /^\/trpc\/([A-Za-z]+(?:\.[A-Za-z]+)*)(?:\?|$)/;
