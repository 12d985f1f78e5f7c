import { initServer } from '@ts-rest/express';
import type { CoreAccess } from '@evaluation/core-client';
import { contract } from '@evaluation/rest-contract';
import { coreFor } from '../middleware/authenticate.ts';
import { countFiles } from '../middleware/rateLimit.ts';

const server = initServer();

/** Spec 4.6. */
export const uploadRoutes = (core: CoreAccess) =>
  server.router(contract.uploads, {
    create: async ({ body, res }) => {
      const created = await coreFor(core, res).uploads.create.mutate({ body });
      countFiles(res);
      return { status: 201, body: created };
    },
    get: async ({ params, res }) => ({
      status: 200,
      body: await coreFor(core, res).uploads.get.mutate({ upload_id: params.uploadId }),
    }),
  });
