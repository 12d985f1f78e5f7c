import { initServer } from '@ts-rest/express';
import type { CoreAccess } from '@evaluation/core-client';
import { contract } from '@evaluation/rest-contract';
import { coreFor } from '../middleware/authenticate.ts';

const server = initServer();

/** Spec 4.2. */
export const examRoutes = (core: CoreAccess) =>
  server.router(contract.exams, {
    create: async ({ body, res }) => ({
      status: 201,
      body: await coreFor(core, res).exams.create.mutate({ body }),
    }),
    get: async ({ params, res }) => ({
      status: 200,
      body: await coreFor(core, res).exams.get.query({ exam_id: params.examId }),
    }),
    list: async ({ query, res }) => ({
      status: 200,
      body: await coreFor(core, res).exams.list.query({ query }),
    }),
    search: async ({ body, res }) => ({
      status: 200,
      body: await coreFor(core, res).exams.search.query({ body }),
    }),
    edit: async ({ params, body, res }) => ({
      status: 200,
      body: await coreFor(core, res).exams.edit.mutate({ exam_id: params.examId, body }),
    }),
    delete: async ({ params, res }) => ({
      status: 200,
      body: await coreFor(core, res).exams.delete.mutate({ exam_id: params.examId }),
    }),
    open: async ({ params, body, res }) => ({
      status: 200,
      body: await coreFor(core, res).exams.open.mutate({ exam_id: params.examId, body }),
    }),
    finalize: async ({ params, body, res }) => ({
      status: 200,
      body: await coreFor(core, res).exams.finalize.mutate({ exam_id: params.examId, body }),
    }),
  });
