import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import { readinessOf, type Logger } from '../telemetry/index.ts';
import { observeRequests, type Description } from './observeRequests.ts';
import { requestId } from './requestId.ts';

interface HttpService {
  name: 'facade' | 'desk';
  log: Logger;
  /** Number of proxies before the service. */
  trustedProxies: number;
  /** Sets the headers of each response, of probes too. */
  headers: RequestHandler;
  /** Rejects while core cannot be reached. */
  pingCore(): Promise<void>;
  describe(request: Request, response: Response): Description;
}

/**
 * What the two public servers, the facade and the desk, have alike: settings of Express, headers, request ids, probes,
 * and a record of each request.
 */
export const createHttpApp = ({
  name,
  log,
  trustedProxies,
  headers,
  pingCore,
  describe,
}: HttpService): Express => {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  // Without a trusted proxy, `X-Forwarded-For` can be set to any value by the client.
  app.set('trust proxy', trustedProxies);
  app.set('query parser', 'simple');
  app.use((_request, response, next) => {
    // Browsers and proxies must not store marks, answers or copies. Files of the desk's page replace this header.
    response.setHeader('Cache-Control', 'no-store');
    next();
  });
  app.use(headers);
  app.use(requestId);
  app.get('/healthz', (_request, response) => void response.send('ok'));
  // `readinessOf` caches core's answer: this path is public, and a flood of probes must not reach core.
  const readiness = readinessOf({ core: pingCore }, name);
  app.get('/readyz', async (_request, response) => {
    const { status, body } = await readiness();
    response.status(status).send(body);
  });
  // After the probes, so that probes are neither logged nor counted.
  app.use(observeRequests(name, log, describe));
  return app;
};
