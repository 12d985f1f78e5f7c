import { initServer } from '@ts-rest/express';
import type { CoreAccess } from '@evaluation/core-client';
import { contract } from '@evaluation/rest-contract';
import { coreFor } from '../middleware/authenticate.ts';

const server = initServer();

/** Spec 4.8. */
export const creditRoutes = (core: CoreAccess) =>
  server.router(contract.credits, {
    get: async ({ res }) => ({ status: 200, body: await coreFor(core, res).credits.get.query() }),
    quote: async ({ body, res }) => ({
      status: 200,
      body: await coreFor(core, res).credits.quote.mutate({ body }),
    }),
  });
