import express, { type Express, type RequestHandler } from 'express';
import { createExpressEndpoints } from '@ts-rest/express';
import type { CoreAccess } from '@evaluation/core-client';
import type { Broadcasts } from '@evaluation/lanes';
import { contract } from '@evaluation/rest-contract';
import { stringifyExact } from '@evaluation/rest-contract/exact-json';
import type { FacadeSettings } from '@evaluation/platform/settings';
import { createHttpApp } from '@evaluation/platform/http';
import type { Logger } from '@evaluation/platform/telemetry';
import { sendCheckedCopy } from './checkedCopy.ts';
import { contractWithoutChecks } from './contractWithoutChecks.ts';
import { serveDocs } from './docs/serveDocs.ts';
import { forwardToCore } from './forwardToCore.ts';
import { serveOpenApi } from './openApi.ts';
import { authenticate, keyOf } from './middleware/authenticate.ts';
import { jsonBody } from './middleware/body.ts';
import { errorHandler, notFound } from './middleware/errors.ts';
import { fingerprint, idempotencyKey } from './middleware/idempotency.ts';
import { knownKeys } from './middleware/knownKeys.ts';
import { lookUpLimits } from '@evaluation/platform/client-limits';
import { securityHeaders } from './middleware/securityHeaders.ts';
import { rateLimiting } from './middleware/rateLimit.ts';
import { routeOf } from './middleware/routeMetadata.ts';
import type { RateLimits } from './rateLimits/rateLimits.ts';

/**
 * The trust boundary (docs/architecture.md#the-picture). Each request is checked in this order: request id, key,
 * product, scope, rate, media type, JSON; then core checks existence, state, validation, credits and quota.
 */
export const createApp = (
  core: CoreAccess,
  settings: FacadeSettings,
  log: Logger,
  broadcasts: Broadcasts,
  rateLimits: RateLimits,
): Express => {
  const keys = knownKeys({
    lookUp: (hash, request) => core.as({ requestId: request }).public.authenticate.query({ hash }),
    seconds: settings.keyCacheSeconds,
    limits: lookUpLimits(settings.unknownKeysPerMinute),
  });
  broadcasts.onBroadcast('keys_changed', keys.forget);

  const rates = rateLimiting(rateLimits, settings.rateLimits);

  const app = createHttpApp({
    name: 'facade',
    log,
    trustedProxies: settings.trustedProxies,
    headers: securityHeaders,
    pingCore: () => core.ping(),
    describe: (request, response) => ({
      route: routeOf(request) ?? 'none',
      institute_id: keyOf(response)?.institute_id,
    }),
  });
  // Answers 404 to OPTIONS, which Express would otherwise answer itself: the API is server to server and has no CORS.
  app.options('/{*path}', notFound);
  app.get('/', (_request, response) => response.redirect('/docs'));
  app.get(['/docs{/*path}', '/llms.txt'], serveDocs());
  const v1 = express.Router();
  serveOpenApi(v1);
  v1.use(exactAnswers);
  const handlers = forwardToCore(core, contract);
  createExpressEndpoints(
    contractWithoutChecks,
    { ...handlers, submissions: { ...handlers['submissions'], checkedCopy: sendCheckedCopy(core) } },
    v1,
    {
      logInitialization: false,
      responseValidation: settings.validateResponses,
      globalMiddleware: [
        authenticate(keys),
        rates.request,
        idempotencyKey,
        jsonBody({ limitBytes: settings.bodyLimitBytes }),
        rates.files,
        fingerprint,
      ],
    },
  );
  app.use('/v1', v1);
  app.use(notFound);
  app.use(errorHandler(core, log, settings.validateResponses));
  return app;
};

/** Sends clients' own objects (`metadata`, `tags`) as they were received, digit by digit. */
const exactAnswers: RequestHandler = (_request, response, next) => {
  response.json = (body) => response.type('json').send(stringifyExact(body));
  next();
};
