import { initServer } from '@ts-rest/express';
import type { CoreAccess } from '@evaluation/core-client';
import { contract } from '@evaluation/rest-contract';
import { coreFor } from '../middleware/authenticate.ts';

const server = initServer();

/** Spec 4.6. */
export const uploadRoutes = (core: CoreAccess) =>
  server.router(contract.uploads, {
    create: async ({ body, res }) => ({
      status: 201,
      body: await coreFor(core, res).uploads.create.mutate({ body }),
    }),
    get: async ({ params, res }) => ({
      status: 200,
      body: await coreFor(core, res).uploads.get.mutate({ upload_id: params.uploadId }),
    }),
  });
