import { initServer } from '@ts-rest/express';
import type { CoreAccess } from '@evaluation/core-client';
import { contract } from '@evaluation/rest-contract';
import { coreFor } from '../middleware/authenticate.ts';

const server = initServer();

/** Spec 4.5. */
export const candidateRoutes = (core: CoreAccess) =>
  server.router(contract.candidates, {
    create: async ({ body, res }) => ({
      status: 200,
      body: await coreFor(core, res).candidates.create.mutate({ body }),
    }),
    search: async ({ body, res }) => ({
      status: 200,
      body: await coreFor(core, res).candidates.search.query({ body }),
    }),
    get: async ({ params, res }) => ({
      status: 200,
      body: await coreFor(core, res).candidates.get.query({ candidate_id: params.candidateId }),
    }),
    register: async ({ params, body, res }) => ({
      status: 200,
      body: await coreFor(core, res).candidates.register.mutate({ exam_id: params.examId, body }),
    }),
    listRegistered: async ({ params, query, res }) => ({
      status: 200,
      body: await coreFor(core, res).candidates.listRegistered.query({ exam_id: params.examId, query }),
    }),
    unregister: async ({ params, res }) => ({
      status: 200,
      body: await coreFor(core, res).candidates.unregister.mutate({
        exam_id: params.examId,
        candidate_id: params.candidateId,
      }),
    }),
  });
