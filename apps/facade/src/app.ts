import express, { type Express, type RequestHandler } from 'express';
import { createExpressEndpoints } from '@ts-rest/express';
import type { CoreAccess } from '@evaluation/core-client';
import type { Broadcasts } from '@evaluation/lanes';
import { contract } from '@evaluation/rest-contract';
import { stringifyExact } from '@evaluation/rest-contract/exact-json';
import type { FacadeSettings } from '@evaluation/platform/settings';
import { readinessOf, type Logger } from '@evaluation/platform/telemetry';
import { sendCheckedCopy } from './checkedCopy.ts';
import { contractWithoutChecks } from './contractWithoutChecks.ts';
import { serveDocs } from './docs/serveDocs.ts';
import { forwardToCore } from './forwardToCore.ts';
import { serveOpenApi } from './openApi.ts';
import { authenticate } from './middleware/authenticate.ts';
import { jsonBody } from './middleware/body.ts';
import { errorHandler, notFound } from './middleware/errors.ts';
import { fingerprint, idempotencyKey } from './middleware/idempotency.ts';
import { knownKeys } from './middleware/knownKeys.ts';
import { lookUpLimits } from '@evaluation/platform/client-limits';
import { observeRequests } from './middleware/observeRequests.ts';
import { securityHeaders } from './middleware/securityHeaders.ts';
import { rateLimiting } from './middleware/rateLimit.ts';
import { requestId } from './middleware/requestId.ts';
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

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  // Without a trusted proxy, `X-Forwarded-For` can be set to any value by the client.
  app.set('trust proxy', settings.trustedProxies);
  app.use(securityHeaders);
  app.set('query parser', 'simple');
  app.use(requestId);
  app.get('/healthz', (_request, response) => void response.send('ok'));
  // `readinessOf` caches core's answer: this path is public, and a flood of probes must not reach core.
  const readiness = readinessOf({ core: () => core.ping() }, 'facade');
  app.get('/readyz', async (_request, response) => {
    const { status, body } = await readiness();
    response.status(status).send(body);
  });

  // After the probes, so that probes are neither logged nor counted.
  app.use(observeRequests(log));
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
