import { initServer } from '@ts-rest/express';
import type { CoreAccess } from '@evaluation/core-client';
import { contract } from '@evaluation/rest-contract';
import { coreFor } from '../middleware/authenticate.ts';

const server = initServer();

/** Spec 4.4. */
export const rubricRoutes = (core: CoreAccess) =>
  server.router(contract.rubrics, {
    list: async ({ params, res }) => ({
      status: 200,
      body: await coreFor(core, res).rubrics.list.query({ exam_id: params.examId }),
    }),
    edit: async ({ params, headers, body, res }) => ({
      status: 200,
      body: await coreFor(core, res).rubrics.edit.mutate({
        exam_id: params.examId,
        if_match: headers['if-match'],
        body,
      }),
    }),
  });
