import { initServer } from '@ts-rest/express';
import type { CoreAccess } from '@evaluation/core-client';
import { contract } from '@evaluation/rest-contract';
import { coreFor } from '../middleware/authenticate.ts';

const server = initServer();

/** Spec 4.1. */
export const accountRoutes = (core: CoreAccess) =>
  server.router(contract.account, {
    me: async ({ res }) => ({ status: 200, body: await coreFor(core, res).me.query() }),
  });
