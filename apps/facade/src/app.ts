import express, { type Express } from 'express';
import { createExpressEndpoints } from '@ts-rest/express';
import type { CoreAccess } from '@evaluation/core-client';
import openApiDocument from '@evaluation/rest-contract/openapi.json' with { type: 'json' };
import type { FacadeSettings } from '@evaluation/settings';
import type { Logger } from '@evaluation/telemetry';
import { contractWithoutChecks } from './contractWithoutChecks.ts';
import { authenticate } from './middleware/authenticate.ts';
import { jsonBody } from './middleware/body.ts';
import { errorHandler, notFound } from './middleware/errors.ts';
import { requestId } from './middleware/requestId.ts';
import { accountRoutes } from './routes/account.ts';
import { candidateRoutes } from './routes/candidates.ts';
import { examRoutes } from './routes/exams.ts';
import { questionRoutes } from './routes/questions.ts';
import { rubricRoutes } from './routes/rubrics.ts';
import { submissionRoutes } from './routes/submissions.ts';
import { uploadRoutes } from './routes/uploads.ts';

/**
 * The trust boundary (design chapter 1). Order of a request: request id → key → product → scope → media type → JSON →
 * core (existence → state → validation → credits → quota).
 */
export const createApp = (core: CoreAccess, settings: FacadeSettings, log: Logger): Express => {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.use(requestId);
  app.get('/healthz', (_request, response) => void response.send('ok'));

  // Express would answer OPTIONS by itself; the API is server to server and has no such call.
  app.options('/{*path}', notFound);
  const v1 = express.Router();
  v1.get('/openapi.json', (_request, response) => void response.json(openApiDocument));
  createExpressEndpoints(
    contractWithoutChecks,
    {
      account: accountRoutes(core),
      exams: examRoutes(core),
      candidates: candidateRoutes(core),
      questions: questionRoutes(core),
      rubrics: rubricRoutes(core),
      uploads: uploadRoutes(core),
      submissions: submissionRoutes(core),
    },
    v1,
    {
      logInitialization: false,
      responseValidation: settings.validateResponses,
      globalMiddleware: [authenticate(core, settings.keyCacheSeconds), ...jsonBody(settings.bodyLimitBytes)],
    },
  );
  app.use('/v1', v1);
  app.use(notFound);
  app.use(errorHandler(log));
  return app;
};
