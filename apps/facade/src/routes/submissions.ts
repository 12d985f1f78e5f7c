import { initServer } from '@ts-rest/express';
import { Agent, request } from 'undici';
import type { CoreAccess } from '@evaluation/core-client';
import { contract } from '@evaluation/rest-contract';
import { DomainFailure } from '@evaluation/rest-contract/errors';
import { coreFor } from '../middleware/authenticate.ts';

const server = initServer();

/** Downloads of checked copies; a store that stops sending must not hold a connection for ever. */
const store = new Agent({ headersTimeout: 15_000, bodyTimeout: 30_000, connections: 32 });

/** Spec 4.7. */
export const submissionRoutes = (core: CoreAccess) =>
  server.router(contract.submissions, {
    create: async ({ params, body, res }) => ({
      status: 202,
      body: await coreFor(core, res).submissions.create.mutate({ exam_id: params.examId, body }),
    }),
    feed: async ({ query, res }) => ({
      status: 200,
      body: await coreFor(core, res).submissions.feed.query({ query }),
    }),
    get: async ({ params, res }) => ({
      status: 200,
      body: await coreFor(core, res).submissions.get.query({ submission_id: params.submissionId }),
    }),
    listOfExam: async ({ params, query, res }) => ({
      status: 200,
      body: await coreFor(core, res).submissions.listOfExam.query({ exam_id: params.examId, query }),
    }),
    cancel: async ({ params, res }) => ({
      status: 200,
      body: await coreFor(core, res).submissions.cancel.mutate({ submission_id: params.submissionId }),
    }),
    delete: async ({ params, res }) => ({
      status: 200,
      body: await coreFor(core, res).submissions.delete.mutate({ submission_id: params.submissionId }),
    }),
    reEvaluate: async ({ params, body, res }) => ({
      status: 202,
      body: await coreFor(core, res).submissions.reEvaluate.mutate({
        submission_id: params.submissionId,
        body,
      }),
    }),
    result: async ({ params, query, res }) => ({
      status: 200,
      body: await coreFor(core, res).submissions.result.query({
        submission_id: params.submissionId,
        query,
      }),
    }),
    override: async ({ params, body, res }) => ({
      status: 200,
      body: await coreFor(core, res).submissions.override.mutate({
        submission_id: params.submissionId,
        question_id: params.questionId,
        body,
      }),
    }),
    approve: async ({ params, body, res }) => ({
      status: 200,
      body: await coreFor(core, res).submissions.approve.mutate({ submission_id: params.submissionId, body }),
    }),
    unfinalize: async ({ params, body, res }) => ({
      status: 200,
      body: await coreFor(core, res).submissions.unfinalize.mutate({
        submission_id: params.submissionId,
        body,
      }),
    }),
    resultsOfExam: async ({ params, query, res }) => ({
      status: 200,
      body: await coreFor(core, res).submissions.resultsOfExam.query({ exam_id: params.examId, query }),
    }),
    checkedCopy: async ({ params, res }) => {
      // A client that goes away, even before the store answers, must not keep a connection to the store.
      const gone = new AbortController();
      res.once('close', () => gone.abort());
      const copy = await coreFor(core, res).submissions.checkedCopy.query({
        submission_id: params.submissionId,
      });
      const download = await request(copy.url, { dispatcher: store, signal: gone.signal }).catch(
        (error: unknown) => {
          if (gone.signal.aborted) throw error;
          throw new DomainFailure('service_unavailable');
        },
      );
      if (download.statusCode !== 200) {
        await download.body.dump();
        throw new DomainFailure('service_unavailable');
      }
      download.body.once('error', () => res.destroy());
      res.setHeader('Content-Type', 'application/pdf');
      res.setHeader('Content-Length', String(copy.size_bytes));
      return { status: 200, body: download.body };
    },
  });
