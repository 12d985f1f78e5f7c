import { initServer } from '@ts-rest/express';
import type { CoreAccess } from '@evaluation/core-client';
import { contract } from '@evaluation/rest-contract';
import { coreFor } from '../middleware/authenticate.ts';

const server = initServer();

/** Spec 4.3. */
export const questionRoutes = (core: CoreAccess) =>
  server.router(contract.questions, {
    list: async ({ params, query, res }) => ({
      status: 200,
      body: await coreFor(core, res).questions.list.query({ exam_id: params.examId, query }),
    }),
    add: async ({ params, body, res }) => ({
      status: 201,
      body: await coreFor(core, res).questions.add.mutate({ exam_id: params.examId, body }),
    }),
    edit: async ({ params, body, res }) => ({
      status: 200,
      body: await coreFor(core, res).questions.edit.mutate({
        exam_id: params.examId,
        question_id: params.questionId,
        body,
      }),
    }),
    delete: async ({ params, res }) => ({
      status: 200,
      body: await coreFor(core, res).questions.delete.mutate({
        exam_id: params.examId,
        question_id: params.questionId,
      }),
    }),
  });
