import * as z from 'zod/v4';
import { Result, ResultQuery } from '../schemas/result.ts';
import { FeedQuery, Submission, SubmissionCreate, SubmissionList } from '../schemas/submission.ts';
import { about, c } from './contract.ts';

const submissionId = z.object({ submissionId: z.string() });

export const submissions = c.router({
  create: {
    method: 'POST',
    path: '/exams/:examId/submissions',
    summary: 'Submit a scanned copy or typed answers for grading',
    pathParams: z.object({ examId: z.string() }),
    body: SubmissionCreate,
    responses: { 202: Submission },
    metadata: about({
      body: 'large',
      scope: 'evaluation:write',
      failures: [402, 404, 409, 422],
      provisional: [
        'typed-answer-fields',
        'submission-warnings',
        'typed-quote',
        'progress-step',
        'upload-refusals',
      ],
    }),
  },
  feed: {
    method: 'GET',
    path: '/submissions',
    summary: 'What changed, across all exams',
    query: FeedQuery,
    responses: { 200: SubmissionList },
    metadata: about({
      scope: 'evaluation:read',
      failures: [422],
      provisional: ['invalid-cursor', 'submission-warnings', 'typed-quote', 'progress-step'],
    }),
  },
  get: {
    method: 'GET',
    path: '/submissions/:submissionId',
    summary: 'Read a submission: its status, its place in the queue, its progress',
    pathParams: submissionId,
    responses: { 200: Submission },
    metadata: about({
      scope: 'evaluation:read',
      failures: [404],
      provisional: ['submission-warnings', 'typed-quote', 'progress-step'],
    }),
  },
  result: {
    method: 'GET',
    path: '/submissions/:submissionId/result',
    summary: 'Read question-wise marks, criteria and feedback',
    pathParams: submissionId,
    query: ResultQuery,
    responses: { 200: Result },
    metadata: about({ scope: 'evaluation:read', failures: [404, 422], provisional: ['annotation-items'] }),
  },
  checkedCopy: {
    method: 'GET',
    path: '/submissions/:submissionId/checked-copy',
    summary: 'Download the annotated copy',
    pathParams: submissionId,
    responses: {
      200: c.otherResponse({
        contentType: 'application/pdf',
        body: z.unknown().meta({ type: 'string', format: 'binary' }),
      }),
    },
    metadata: about({ scope: 'evaluation:read', failures: [404], provisional: ['checked-copy-unavailable'] }),
  },
});
